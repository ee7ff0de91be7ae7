#include "function_set.h"

#include <dlfcn.h>
#include <doctest/doctest.h>
#include <filesystem>
#include <random>
#include <set>
#include "support/module_queries.h"
#include "support/temporary_directory.h"

using namespace fnprof::rt;

TEST_CASE("a set holds what was added, once, however often it grows") {
    FunctionSet set;
    std::mt19937_64 random(7);
    std::set<std::pair<uint64_t, uint32_t>> reference;
    for (int i = 0; i < 50'000; i++) {
        const uint64_t address = 0x7f0000000000 + random() % 20'000 * 16;
        const auto module = static_cast<uint32_t>(random() % 3);
        REQUIRE(set.add(address, module));
        reference.emplace(address, module);
    }
    CHECK(set.count() == reference.size());
    for (const auto& [address, module] : reference) {
        const SeenFunction* function = set.find(address, module);
        REQUIRE(function != nullptr);
        CHECK(function->address == address);
        CHECK(function->module == module);
    }
    CHECK(set.find(0x7f0000000008, 1) == nullptr);
    CHECK(set.find(0, 0) == nullptr);
    size_t filled = 0;
    for (size_t place = 0; place < set.capacity(); place++) filled += set.at(place).address != 0;
    CHECK(filled == reference.size());
}

TEST_CASE("an empty set finds nothing") {
    FunctionSet set;
    CHECK(set.find(16, 1) == nullptr);
}

TEST_CASE("a block's functions are entered for the modules that were mapped then") {
    Modules modules;
    modules.start(1000);
    FunctionSet set;
    const auto here = reinterpret_cast<uint64_t>(&modules.at(0)) & ~uint64_t{15};  // data, in no file
    const auto main_code = reinterpret_cast<uint64_t>(+[] { return 1; });
    REQUIRE(set.note(modules, main_code, 2000, 3000, 3000));
    REQUIRE(set.note(modules, main_code, 3000, 4000, 4000));
    REQUIRE(set.note(modules, here, 2000, 3000, 3000));
    REQUIRE(set.note(modules, here, 3000, 4000, 4000));
    REQUIRE(set.note(modules, 0, 2000, 3000, 3000));
    CHECK(set.count() == 2);
    const uint32_t main_module = module_of(modules, main_code, 5000, 5000);
    REQUIRE(main_module != 0);
    CHECK(set.find(main_code, main_module) != nullptr);
    CHECK(set.find(here, 0) != nullptr);
    CHECK(modules.find(main_module)->has_functions);
}

TEST_CASE("the maps are not read again for what they cannot tell") {
    Modules modules;
    modules.start(1000);
    FunctionSet set;
    const uint64_t nowhere = 0x10;
    REQUIRE(set.note(modules, nowhere, 2000, 3000, 4000));
    CHECK(modules.last_scan_ticks() == 4000);
    REQUIRE(set.note(modules, nowhere, 5000, 6000, 7000));
    CHECK(modules.last_scan_ticks() == 4000);  // known to be in no file
    REQUIRE(set.note(modules, nowhere + 16, 3000, 3900, 8000));
    CHECK(modules.last_scan_ticks() == 4000);  // the last scan was later than the block
    REQUIRE(set.note(modules, nowhere + 32, 3000, 4100, 9000));
    CHECK(modules.last_scan_ticks() == 9000);
}

TEST_CASE("a block that spans two lives of an address counts for both modules") {
    void* handle = dlopen(FNPROF_TEST_PLUGIN, RTLD_NOW);
    REQUIRE(handle != nullptr);
    const auto address = reinterpret_cast<uint64_t>(dlsym(handle, "plugin_global"));
    Modules modules;
    modules.start(1000);
    FunctionSet set;
    REQUIRE(set.note(modules, address, 1100, 1200, 1200));
    const uint32_t first = module_of(modules, address, 1200, 1200);
    dlclose(handle);
    modules.after_unload(2000);
    // Another file of the same size goes to the same place.
    TemporaryDirectory directory;
    const std::string other = directory.file("other.so");
    std::filesystem::copy_file(FNPROF_TEST_PLUGIN, other);
    handle = dlopen(other.c_str(), RTLD_NOW);
    REQUIRE(handle != nullptr);
    if (reinterpret_cast<uint64_t>(dlsym(handle, "plugin_global")) == address) {
        REQUIRE(set.note(modules, address, 1900, 2100, 2100));
        const uint32_t second = module_of(modules, address, 2100, 2100);
        CHECK(second != first);
        CHECK(set.find(address, first) != nullptr);
        CHECK(set.find(address, second) != nullptr);
        CHECK(set.count() == 2);
    }
    dlclose(handle);
}
