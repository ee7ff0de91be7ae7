#include <doctest/doctest.h>

#include "model/address_map.h"

namespace fnprof::model::test {

namespace {

trace::ModuleLoad load(uint32_t id, const std::string& path, uint64_t bias, uint64_t from, uint64_t to) {
    trace::ModuleLoad module;
    module.id = id;
    module.path = path;
    module.bias = bias;
    module.start = from;
    module.end = to;
    return module;
}

Function described(const AddressMap& map, FunctionId id) {
    Profile profile;
    map.fill(profile);
    return profile.functions[id];
}

}  // namespace

TEST_CASE("an address is a function of the module that it lies in, numbered once") {
    trace::Metadata metadata;
    metadata.modules = {load(1, "/bin/app", 0x1000, 0x1000, 0x9000), load(2, "/lib/x.so", 0x20000, 0x21000, 0x29000)};
    metadata.names.add(1, 0x100, 16, "main");
    metadata.names.add(2, 0x1500, 16, "helper");
    AddressMap map(metadata);
    const FunctionId main = map.function(0x1100, 5);
    const FunctionId helper = map.function(0x21500, 5);
    const FunctionId stray = map.function(0x50000, 5);
    CHECK(map.function(0x1100, 900) == main);
    CHECK(map.function_count() == 3);
    Profile p;
    map.fill(p);
    CHECK(p.functions[main].mangled == "main");
    CHECK(p.modules[p.functions[main].module].path == "/bin/app");
    CHECK(p.functions[helper].mangled == "helper");
    CHECK(p.functions[helper].offset == 0x1500);
    CHECK(p.functions[stray].module == kNone);
    CHECK(p.functions[stray].offset == 0x50000);
}

TEST_CASE("how far a function reaches is asked where the trace has no name for it") {
    trace::Metadata metadata;
    metadata.modules = {load(1, "/bin/app", 0x1000, 0x1000, 0x9000)};
    metadata.names.add(1, 0x100, 16, "main");
    AddressMap map(metadata, [](const Module& module, uint64_t address) { return module.path == "/bin/app" && address == 0x200 ? 32u : 0u; });
    const FunctionId main = map.function(0x1100, 5);
    const FunctionId unnamed = map.function(0x1200, 5);
    CHECK(map.function_around(0x1110, 5) == main);
    CHECK(map.function_around(0x1111, 5) == kNone);
    CHECK(map.function_around(0x1220, 5) == unnamed);
    CHECK(map.function_around(0x1221, 5) == kNone);
}

TEST_CASE("the first function that is entered from a call site is what is called there") {
    trace::Metadata metadata;
    metadata.modules = {load(1, "/bin/app", 0x1000, 0x1000, 0x9000)};
    AddressMap map(metadata);
    CHECK(map.resolve({0x1100, 0x2004}, 5).first_at_site);
    CHECK_FALSE(map.resolve({0x1200, 0x2004}, 5).first_at_site);
    CHECK(map.resolve({0x1200, 0x2008}, 5).first_at_site);
    for (int again = 0; again < 2; ++again) {
        CHECK(map.resolve({0x1100, 0x2004}, 5).first_at_site);
        CHECK_FALSE(map.resolve({0x1200, 0x2004}, 5).first_at_site);
    }
    CallSymbol recalled;
    map.recall({0x1200, 0x2004}, recalled);
    CHECK_FALSE(recalled.first_at_site);
}

TEST_CASE("one address is different functions before and after dlclose and dlopen") {
    trace::Metadata metadata;
    metadata.modules = {load(1, "/pa.so", 0x7000, 0x7000, 0x8000), load(2, "/pb.so", 0x7000, 0x7000, 0x8000),
                        load(3, "/pa.so", 0x7000, 0x7000, 0x8000)};
    metadata.modules[0].load_ticks = 100;
    metadata.modules[0].unload_ticks = 200;
    metadata.modules[1].load_ticks = 300;
    metadata.modules[1].unload_ticks = 400;
    metadata.modules[2].load_ticks = 500;
    metadata.names.add(1, 0x20, 16, "plug_a");
    metadata.names.add(2, 0x20, 16, "plug_b");
    AddressMap map(metadata);
    const FunctionId a = map.function(0x7020, 150);
    const FunctionId b = map.function(0x7020, 350);
    CHECK(map.function(0x7020, 550) == a);
    CHECK(a != b);
    CHECK(described(map, a).mangled == "plug_a");
    CHECK(described(map, b).mangled == "plug_b");
    CHECK(map.is_reused({0x7020, 0x100}));
    CHECK(map.is_reused({0x100, 0x7030}));
    CHECK_FALSE(map.is_reused({0x100, 0x200}));
    SUBCASE("a module's code may run before it was noticed") { CHECK(map.function(0x7020, 250) == b); }
    SUBCASE("the last load goes on after its unloading") {
        metadata.modules[2].unload_ticks = 600;
        CHECK(map.function(0x7020, 700) == a);
    }
}

TEST_CASE("a call site lies in the named function around the call instruction, entered already or not") {
    trace::Metadata metadata;
    metadata.modules = {load(1, "/bin/app", 0x1000, 0x1000, 0x9000)};
    metadata.names.add(1, 0x100, 0x20, "f");
    metadata.names.add(1, 0x120, 0x20, "g");
    AddressMap map(metadata);
    const FunctionId f = map.function_around(0x1110, 5);
    CHECK(map.function(0x1100, 5) == f);
    CHECK(described(map, f).mangled == "f");
    CHECK(map.function_around(0x1110, 5) == f);
    CHECK(map.function_around(0x1101, 5) == f);
    CHECK(map.function_around(0x1120, 5) == f);  // the call was its last instruction
    const FunctionId g = map.function(0x1120, 5);
    CHECK(g != f);
    CHECK(map.function_around(0x1121, 5) == g);
    CHECK(map.function_around(0x1140, 5) == g);
    CHECK(map.function_around(0x1141, 5) == kNone);
    CHECK(map.function_around(0x50000, 5) == kNone);
}

TEST_CASE("a function of another process keeps its identity, whether its module is loaded here or not") {
    trace::Metadata metadata;
    metadata.modules = {load(1, "/bin/app", 0x1000, 0x1000, 0x9000)};
    AddressMap map(metadata);
    const Module app{"/bin/app", {}};
    const Module plugin{"/plugin.so", {9}};
    const FunctionId f = map.adopt({0, 0x100, "f"}, &app);
    CHECK(map.function(0x1100, 5) == f);
    CHECK(described(map, f).mangled == "f");
    const FunctionId p = map.adopt({0, 0x100, "p"}, &plugin);
    CHECK(p != f);
    Profile profile;
    map.fill(profile);
    CHECK(profile.modules[profile.functions[p].module].path == "/plugin.so");
    CHECK(profile.modules[profile.functions[p].module].build_id == std::vector<uint8_t>{9});
}

}  // namespace fnprof::model::test
