// Packages of split debug information, as every packer writes them.
#include "symbol/dwo_package.h"
#include "symbol/symbolizer.h"

#include "workshop.h"

#include <doctest/doctest.h>

#include <fstream>

using namespace fnprof::symbol;
using namespace fnprof::symbol::test;

namespace {

const std::string kSource = std::string(FNPROF_TEST_PROGRAMS) + "/shapes.cpp";

struct Packer {
    std::string command;
    std::string dwarf;  // that it understands
};

// binutils' packer ends with a segmentation fault on DWARF 5.
std::vector<Packer> packers() {
    std::vector<Packer> out;
    for (const auto& [command, dwarf] : {Packer{"dwp", "4"}, Packer{"llvm-dwp", "4"}, Packer{"llvm-dwp", "5"}}) {
        for (const std::string& name : {command, command + "-14"}) {
            if (!have(name)) continue;
            out.push_back({name, dwarf});
            break;
        }
    }
    if (out.size() < 3) MESSAGE("not every packer is here: " << out.size() << " of 3");
    REQUIRE(!out.empty());
    return out;
}

// `program` of shapes.cpp and of another unit, and `program.dwp`; no .dwo file is left.
void build(const Workshop& workshop, const std::string& compiler, const Packer& packer) {
    std::ofstream(workshop.file("other.cpp")) << "int other(int x)\n{ return x; }\n";
    workshop.run(compiler + " -O0 -gdwarf-" + packer.dwarf + " -gsplit-dwarf " + kSource +
                 " other.cpp -o program -Wl,--build-id=sha1");
    workshop.run(packer.command + " -e program -o program.dwp && rm *.dwo");
}

// All expected functions are found where they are declared.
void check_places(const Workshop& workshop, Symbolizer& symbolizer, const std::map<std::string, uint64_t>& addresses,
                  const std::vector<uint8_t>& build_id) {
    std::map<std::string, Expected> expectations;
    read_expectations(std::string(FNPROF_TEST_PROGRAMS) + "/shapes.h", expectations);
    read_expectations(kSource, expectations);
    size_t found = 0;
    for (const auto& expectation : expectations) {
        const std::string& name = expectation.first;
        const Expected& expected = expectation.second;
        const auto address = addresses.find(name);
        if (address == addresses.end()) continue;
        ++found;
        INFO(name);
        const Symbol symbol = symbolizer.resolve(workshop.file("program"), build_id, address->second, name);
        CHECK(symbol.file == expected.file);
        CHECK(symbol.line == expected.line);
    }
    CHECK(found >= 8);
    const Symbol other = symbolizer.resolve(workshop.file("program"), build_id, addresses.at("_Z5otheri"), "_Z5otheri");
    CHECK(other.file == workshop.file("other.cpp"));
    CHECK(other.line == 1);
}

template <typename Visit>
void each_package(Visit visit) {
    for (const char* compiler : {"g++", "clang++"}) {
        if (!have(compiler)) {
            MESSAGE("skipped: no " << compiler);
            continue;
        }
        for (const Packer& packer : packers()) {
            CAPTURE(compiler);
            CAPTURE(packer.command);
            CAPTURE(packer.dwarf);
            const Workshop workshop;
            build(workshop, compiler, packer);
            visit(workshop, functions_of(workshop, "program"), build_id_of(workshop.file("program")));
        }
    }
}

}  // namespace

TEST_CASE("a package beside the program, compressed or not, or in a given directory stands for the .dwo files") {
    each_package([](const Workshop& workshop, const auto& addresses, const auto& build_id) {
        Symbolizer beside;
        check_places(workshop, beside, addresses, build_id);
        workshop.run("objcopy --compress-debug-sections program.dwp");
        Symbolizer compressed;
        check_places(workshop, compressed, addresses, build_id);
        workshop.run("mkdir elsewhere && mv program.dwp elsewhere/");
        Symbolizer in_directory({workshop.file("elsewhere")});
        check_places(workshop, in_directory, addresses, build_id);
    });
}

TEST_CASE("a package is found beside the debug file of a stripped program") {
    each_package([](const Workshop& workshop, const auto& addresses, const auto& build_id) {
        workshop.run(
            "objcopy --only-keep-debug program program.debug && strip program && objcopy --add-gnu-debuglink=program.debug "
            "program && mkdir .debug && mv program.debug .debug/ && mv program.dwp .debug/program.debug.dwp");
        Symbolizer symbolizer;
        check_places(workshop, symbolizer, addresses, build_id);
    });
}

TEST_CASE("the declarations come from the package, not from the program's line table") {
    each_package([](const Workshop& workshop, const auto& addresses, const auto& build_id) {
        const auto line_of_other = [&] {
            Symbolizer symbolizer;
            return symbolizer.resolve(workshop.file("program"), build_id, addresses.at("_Z5otheri"), "").line;
        };
        const bool own_files = workshop.run("readelf -SW program.dwp").find(".debug_line.dwo") != std::string::npos;
        CHECK(line_of_other() == 1);
        // gcc's units have names of files themselves, clang's use the program's.
        workshop.run("objcopy --remove-section=.debug_line program stripped && mv stripped program");
        CHECK(line_of_other() == (own_files ? 1 : 0));
        workshop.run("rm program.dwp");
        CHECK(line_of_other() == 0);
    });
}

TEST_CASE("units of another build's package are not taken") {
    each_package([](const Workshop& workshop, const auto& addresses, const auto& build_id) {
        const Workshop stranger;
        stranger.run("cp " + workshop.file("program.dwp") + " .");
        const auto package = DwoPackage::open(stranger.file("program.dwp"));
        REQUIRE(package != nullptr);
        CHECK_FALSE(package->unit(0x0123456789abcdef, {}).has_value());
        std::ofstream(workshop.file("program.dwp")) << "not a package";
        Symbolizer symbolizer;
        CHECK(symbolizer.resolve(workshop.file("program"), build_id, addresses.at("main"), "main").file == kSource);
    });
}

TEST_CASE("damaged packages are survived") {
    each_package([](const Workshop& workshop, const auto& addresses, const auto& build_id) {
        const std::string path = workshop.file("program.dwp");
        std::ifstream in(path, std::ios::binary);
        const std::string whole((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
        const auto names_stay = [&] {
            Symbolizer symbolizer;
            for (const auto& [name, address] : addresses)
                CHECK(symbolizer.resolve(workshop.file("program"), build_id, address, name).mangled == name);
        };
        for (size_t eighths = 7; eighths > 0; --eighths) {
            std::ofstream(path, std::ios::binary) << whole.substr(0, whole.size() * eighths / 8);
            names_stay();
        }
        for (size_t at = 64; at < whole.size(); at += 61) {
            std::string damaged = whole;
            damaged[at] = static_cast<char>(damaged[at] ^ 0x55);
            std::ofstream(path, std::ios::binary) << damaged;
            names_stay();
        }
    });
}
