// Compiles one program in many ways and asks for the places of its functions.
#include "symbol/symbolizer.h"

#include "workshop.h"

#include <doctest/doctest.h>

#include <fstream>

using namespace fnprof::symbol;
using namespace fnprof::symbol::test;

namespace {

const std::string kPrograms = FNPROF_TEST_PROGRAMS;

std::map<std::string, Expected> expectations() {
    std::map<std::string, Expected> out;
    read_expectations(kPrograms + "/shapes.h", out);
    read_expectations(kPrograms + "/shapes.cpp", out);
    REQUIRE(out.size() == 9);
    return out;
}

// How many of the expected functions `program` has at `addresses`, all of which must be found where they are. `mangled`:
// whether the symbolizer is told the names.
size_t check_places(Symbolizer& symbolizer, const std::string& program, const std::vector<uint8_t>& build_id,
                    const std::map<std::string, uint64_t>& addresses, bool mangled = true) {
    size_t found = 0;
    for (const auto& expectation : expectations()) {
        const std::string& name = expectation.first;
        const Expected& expected = expectation.second;
        const auto address = addresses.find(name);
        if (address == addresses.end()) continue;
        ++found;
        const Symbol symbol = symbolizer.resolve(program, build_id, address->second, mangled ? name : "");
        INFO(name);
        // A constructor has two names for one address.
        CHECK(addresses.count(symbol.mangled) == 1);
        CHECK(addresses.at(symbol.mangled) == address->second);
        CHECK(symbol.file == expected.file);
        CHECK(symbol.line == expected.line);
    }
    return found;
}

std::string compile_command(const std::string& compiler, const std::string& flags) {
    return compiler + " " + flags + " " + kPrograms + "/shapes.cpp -o program -Wl,--build-id=sha1";
}

std::vector<std::string> compilers() {
    std::vector<std::string> out;
    for (const char* name : {"g++", "clang++"}) {
        if (have(name))
            out.emplace_back(name);
        else
            MESSAGE("skipped: no " << name);
    }
    REQUIRE(!out.empty());
    return out;
}

}  // namespace

TEST_CASE("file and line are found in every form of debug information that compilers write") {
    for (const std::string& compiler : compilers()) {
        for (const std::string flags :
             {"-g -O0", "-g -O2", "-gdwarf-4 -O0", "-gdwarf-5 -O2", "-g -gsplit-dwarf -O0", "-gdwarf-4 -gsplit-dwarf -O2",
              "-g -gz -O0", "-g -no-pie -O0", "-g -ffunction-sections -Wl,--gc-sections -O0", "-g -static -O0",
              "-g -flto -O1", "-g -fdebug-types-section -O0"}) {
            CAPTURE(compiler);
            CAPTURE(flags);
            const Workshop workshop;
            workshop.run(compile_command(compiler, flags));
            const std::string program = workshop.file("program");
            Symbolizer symbolizer;
            const auto build_id = build_id_of(program);
            REQUIRE(!build_id.empty());
            const size_t found = check_places(symbolizer, program, build_id, functions_of(workshop, "program"));
            // Optimizers inline some of them away, and clang has its own names for lambdas.
            CHECK(found >= (flags.find("-O0") != std::string::npos ? 8 : 5));
            CHECK(symbolizer.remarks().empty());
        }
    }
}

TEST_CASE("files are absolute, whatever the compiler was given") {
    for (const std::string& compiler : compilers()) {
        for (const std::string flags : {"-gdwarf-4", "-gdwarf-5", "-gdwarf-4 -gsplit-dwarf", "-gdwarf-5 -gsplit-dwarf"}) {
            CAPTURE(compiler);
            CAPTURE(flags);
            const Workshop workshop;
            workshop.run("mkdir -p src/sub && echo 'int main() { return 0; }' >src/main.cpp && cd src/sub && " + compiler +
                         " " + flags + " ../main.cpp -o ../../program");
            Symbolizer symbolizer;
            const std::string program = workshop.file("program");
            const uint64_t main = functions_of(workshop, "program").at("main");
            CHECK(symbolizer.resolve(program, build_id_of(program), main, "main").file == workshop.file("src/main.cpp"));
        }
    }
}

TEST_CASE("names come from the symbol table when the trace has none") {
    const Workshop workshop;
    workshop.run(compile_command(compilers().front(), "-g -O0"));
    Symbolizer symbolizer;
    CHECK(check_places(symbolizer, workshop.file("program"), build_id_of(workshop.file("program")),
                       functions_of(workshop, "program"), false) >= 8);
}

#ifdef __x86_64__
TEST_CASE("the slot that stands for a function with several implementations has its name") {
    if (!have("gcc")) {
        MESSAGE("skipped: no gcc");
        return;
    }
    const Workshop workshop;
    for (const std::string flags : {"-O2", "-O2 -fno-pie -no-pie", "-O2 -fno-pie -static", "-O2 -fcf-protection=full"}) {
        CAPTURE(flags);
        workshop.run("gcc -g " + flags + " " + kPrograms + "/clones.c -o clones");
        const uint64_t slot = std::stoull(workshop.run("./clones"), nullptr, 16);
        Symbolizer symbolizer;
        const Symbol symbol = symbolizer.resolve(workshop.file("clones"), build_id_of(workshop.file("clones")), slot, "");
        CHECK(symbol.mangled == "many");
    }
}
#endif

TEST_CASE("asking for names alone finds the function around an address and remarks on nothing") {
    const Workshop workshop;
    workshop.run(compile_command(compilers().front(), "-O0"));
    const std::string program = workshop.file("program");
    const auto build_id = build_id_of(program);
    const uint64_t main = functions_of(workshop, "program").at("main");
    Symbolizer symbolizer;
    CHECK(symbolizer.name_around(program, build_id, main + 3) == "main");
    CHECK(symbolizer.name_around(program, build_id, 1) == "");
    CHECK(symbolizer.name_around(workshop.file("nowhere"), {}, main) == "");
    CHECK(symbolizer.size_at(program, build_id, main) > 3);
    CHECK(symbolizer.size_at(program, build_id, main + 3) == 0);
    CHECK(symbolizer.size_at(workshop.file("nowhere"), {}, main) == 0);
    CHECK(symbolizer.remarks().empty());
}

TEST_CASE("a stripped program's debug file is found through its link, its build-id or a directory that the user names") {
    const Workshop workshop;
    workshop.run(compile_command(compilers().front(), "-g -O0"));
    const std::string program = workshop.file("program");
    const auto addresses = functions_of(workshop, "program");
    const auto build_id = build_id_of(program);
    workshop.run(
        "objcopy --only-keep-debug program program.debug && strip program && objcopy --add-gnu-debuglink=program.debug "
        "program");

    SUBCASE("beside it") {
        Symbolizer symbolizer;
        CHECK(check_places(symbolizer, program, build_id, addresses, false) >= 8);
    }
    SUBCASE("in .debug beside it") {
        workshop.run("mkdir .debug && mv program.debug .debug/");
        Symbolizer symbolizer;
        CHECK(check_places(symbolizer, program, build_id, addresses) >= 8);
    }
    SUBCASE("by build-id in a given directory") {
        std::string hex;
        for (const uint8_t byte : build_id) {
            char text[3];
            std::snprintf(text, sizeof text, "%02x", byte);
            hex += text;
        }
        const std::string dir = "debug/.build-id/" + hex.substr(0, 2);
        workshop.run("mkdir -p " + dir + " && mv program.debug " + dir + "/" + hex.substr(2) + ".debug");
        Symbolizer symbolizer({workshop.file("debug")});
        CHECK(check_places(symbolizer, program, build_id, addresses) >= 8);
    }
    SUBCASE("by its name in a given directory, the program being gone") {
        workshop.run("mkdir debug && mv program.debug debug/ && rm program");
        Symbolizer symbolizer({workshop.file("debug")});
        CHECK(check_places(symbolizer, program, build_id, addresses, false) >= 8);
    }
    SUBCASE("compressed") {
        workshop.run("objcopy --compress-debug-sections program.debug");
        Symbolizer symbolizer;
        CHECK(check_places(symbolizer, program, build_id, addresses) >= 8);
    }
    SUBCASE("not at all, and that is said") {
        workshop.run("rm program.debug");
        Symbolizer symbolizer;
        const Symbol symbol = symbolizer.resolve(program, build_id, addresses.at("main"), "main");
        CHECK(symbol.mangled == "main");
        CHECK(symbol.file.empty());
        REQUIRE(symbolizer.remarks().size() == 1);
        CHECK(symbolizer.remarks()[0].find("no debug information") != std::string::npos);
        CHECK(symbolizer.remarks()[0].find(program) != std::string::npos);
    }
}

TEST_CASE("a debug file without build-id is believed only if its checksum is the link's") {
    const Workshop workshop;
    workshop.run(compilers().front() + " -g -O0 " + kPrograms + "/shapes.cpp -o program -Wl,--build-id=none");
    const auto addresses = functions_of(workshop, "program");
    workshop.run(
        "objcopy --only-keep-debug program program.debug && strip program && objcopy --add-gnu-debuglink=program.debug "
        "program");
    SUBCASE("the right one") {
        Symbolizer symbolizer;
        CHECK(check_places(symbolizer, workshop.file("program"), {}, addresses) >= 8);
    }
    SUBCASE("a changed one") {
        std::ofstream(workshop.file("program.debug"), std::ios::app) << 'x';
        Symbolizer symbolizer;
        CHECK(symbolizer.resolve(workshop.file("program"), {}, addresses.at("main"), "main").line == 0);
    }
}

TEST_CASE("a program that was rebuilt since is not asked") {
    const Workshop workshop;
    workshop.run(compile_command(compilers().front(), "-g -O0"));
    const std::string program = workshop.file("program");
    const auto addresses = functions_of(workshop, "program");
    auto build_id = build_id_of(program);
    build_id[0] ^= 1;
    Symbolizer symbolizer;
    const Symbol symbol = symbolizer.resolve(program, build_id, addresses.at("main"), "");
    CHECK(symbol.mangled.empty());
    CHECK(symbol.line == 0);
    REQUIRE(symbolizer.remarks().size() == 1);
    CHECK(symbolizer.remarks()[0].find("differ") != std::string::npos);
}

TEST_CASE("a program without build-id that was rebuilt since is recognized by its functions") {
    const Workshop workshop;
    const std::string build = compilers().front() + " -g -O0 -Wl,--build-id=none " + kPrograms + "/shapes.cpp ";
    workshop.run(build + "-o program");
    const std::string program = workshop.file("program");
    const auto addresses = functions_of(workshop, "program");
    Symbolizer same;
    CHECK(check_places(same, program, {}, addresses) >= 8);
    CHECK(same.believed(program, {}));

    std::ofstream(workshop.file("more.cpp")) << "int more(int x) { return x * x + x; }\n";
    workshop.run(compilers().front() + " -g -O0 -Wl,--build-id=none more.cpp " + kPrograms + "/shapes.cpp -o program");
    Symbolizer changed;
    for (const auto& [name, address] : addresses) CHECK(changed.resolve(program, {}, address, name).mangled == name);
    CHECK_FALSE(changed.believed(program, {}));
    REQUIRE(changed.remarks().size() == 1);
    CHECK(changed.remarks()[0].find("functions differ") != std::string::npos);
}

TEST_CASE("the line table answers where the .dwo file is gone") {
    const Workshop workshop;
    workshop.run(compile_command(compilers().front(), "-g -gsplit-dwarf -O0"));
    const auto addresses = functions_of(workshop, "program");
    workshop.run("rm *.dwo");
    Symbolizer symbolizer;
    const Symbol symbol = symbolizer.resolve(workshop.file("program"), build_id_of(workshop.file("program")),
                                             addresses.at("_ZN8geometryL6hiddenEi"), "");
    CHECK(symbol.file == kPrograms + "/shapes.cpp");
    CHECK(symbol.line == expectations().at("_ZN8geometryL6hiddenEi").line);
}

TEST_CASE("files that are no programs give names away to nobody") {
    const Workshop workshop;
    std::ofstream(workshop.file("text")) << "not an ELF file\n";
    std::ofstream(workshop.file("short"), std::ios::binary) << "\x7f"
                                                               "ELF\x02\x01\x01";
    workshop.run("mkfifo fifo");
    Symbolizer symbolizer;
    for (const char* name : {"text", "short", "fifo", "nowhere", "."}) {
        const Symbol symbol = symbolizer.resolve(workshop.file(name), {}, 0x1000, "known");
        CHECK(symbol.mangled == "known");
        CHECK(symbol.file.empty());
    }
    REQUIRE(symbolizer.remarks().size() == 1);
}

TEST_CASE("truncated programs are survived") {
    const Workshop workshop;
    workshop.run(compile_command(compilers().front(), "-g -O0"));
    const std::string program = workshop.file("program");
    const auto addresses = functions_of(workshop, "program");
    const auto build_id = build_id_of(program);
    const auto size = std::filesystem::file_size(program);
    for (int eighths = 7; eighths > 0; --eighths) {
        std::filesystem::resize_file(program, size * static_cast<unsigned>(eighths) / 8);
        Symbolizer symbolizer;
        for (const auto& [name, address] : addresses)
            CHECK(symbolizer.resolve(program, build_id, address, name).mangled == name);
    }
}
