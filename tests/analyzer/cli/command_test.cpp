// The tool as its users see it: exit codes, streams, words.
#include "tool.h"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <fstream>
#include <sstream>

using namespace fnprof::cli::test;
using nlohmann::json;

namespace {

bool contains(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("the default command is the report of ./trace.zst") {
    const Desk desk;
    write_trace(desk.file("trace.zst"), {});
    const Result bare = desk.analyze("");
    CHECK(bare.status == 0);
    CHECK(contains(bare.out, "         7 function calls in 0.040000 seconds\n"));
    CHECK(contains(bare.out, "        3 21.00ms 7.000ms 27.00ms 9.000ms  52.5  67.5 app(work(int))\n"));
    CHECK(desk.analyze("report trace.zst").out == bare.out);
    CHECK(contains(desk.analyze("1").out, "List reduced from 3 to 1 due to restriction <1>"));
    CHECK(contains(desk.analyze("-s name 'leaf|main' .5").out, "List reduced from 2 to 1 due to restriction <0.5>"));
}

TEST_CASE("the first word is the command if it is one, also behind options") {
    const Desk desk;
    write_trace(desk.file("trace.zst"), {});
    const std::string callers = desk.analyze("callers --width 70 -s name leaf trace.zst").out;
    CHECK(contains(callers, "was called by"));
    for (const char* words : {"--width 70 callers -s name leaf trace.zst", "-s name --width=70 callers trace.zst leaf",
                              "-sname --width 70 callers leaf"})
        CHECK(desk.analyze(words).out == callers);
    CHECK(contains(desk.analyze("trace.zst callers").out, "due to restriction <'callers'>"));
    CHECK(contains(desk.analyze("report callers").out, "due to restriction <'callers'>"));
    CHECK(contains(desk.analyze("--color tree tree").err, "--color tree is unknown"));
    CHECK(contains(desk.analyze("-r info").err, "info --help"));
}

TEST_CASE("a missing or empty trace is explained, with the checks for each cause, and fails") {
    const Desk desk;
    for (const char* arguments : {"", "gone.zst", "tree", "--json"}) {
        const Result result = desk.analyze(arguments);
        CHECK(result.status == 1);
        CHECK(result.out.empty());
        CHECK(contains(result.err, "no trace"));
        for (const char* cause :
             {"-finstrument-functions", "ldd PROGRAM", "FNPROF_ENABLE=0", "FNPROF_OUTPUT", "no_instrument_function"})
            CHECK(contains(result.err, cause));
    }
    std::ofstream(desk.file("trace.zst")).close();
    CHECK(desk.analyze("").status == 1);
}

TEST_CASE("a trace without calls is explained and is no failure") {
    const Desk desk;
    write_empty_trace(desk.file("trace.zst"));
    const Result result = desk.analyze("");
    CHECK(result.status == 0);
    CHECK(contains(result.out, "0 function calls in"));
    CHECK(contains(result.out, "-finstrument-functions"));
    CHECK(json::parse(desk.analyze("--json").out).at("total_calls") == 0);
    CHECK(json::parse(desk.analyze("tree --json").out).at("call_paths").empty());
    for (const char* command : {"tree", "callers", "callees", "info"}) CHECK(desk.analyze(command).status == 0);
}

TEST_CASE("wrong usage exits with 2 and says what would be right") {
    const Desk desk;
    write_trace(desk.file("trace.zst"), {});
    const auto message = [&](const std::string& arguments) {
        const Result result = desk.analyze(arguments);
        CAPTURE(arguments);
        CHECK(result.status == 2);
        CHECK(result.out.empty());
        return result.err;
    };
    CHECK(contains(message("--bogus"), "--bogus"));
    CHECK(contains(message("hist --bogus"), "hist --help"));
    CHECK(contains(message("-s c"), "calls or cumtime or cumulative"));
    CHECK(contains(message("-s"), "report --help"));
    CHECK(contains(message("1.5"), "fraction"));
    CHECK(contains(message("'('"), "regular expression"));
    CHECK(contains(message("tree --sort name"), "tree --help"));
    CHECK(contains(message("--color=blue"), "always"));
    CHECK(contains(message("info 20"), "no restrictions"));
    CHECK(contains(message("- -"), "once"));
    CHECK(contains(message("--width -1"), "--width"));
    CHECK(contains(message("tree --min -5"), "percentage"));
    CHECK(contains(message("tree --min nan"), "percentage"));
    CHECK(contains(message("tree --min 101"), "percentage"));
    CHECK(contains(message("--full-paths --strip-dirs"), "contradict"));
    CHECK(contains(message("callers --edge-limit some"), "neither a number nor a fraction"));
    CHECK(contains(message("callers --edge-limit 1.5"), "fraction"));
    CHECK(contains(message("callees --edge-sort c"), "calls or cumtime or cumulative"));
    CHECK(contains(message("--edge-sort calls"), "edge-sort"));
}

TEST_CASE("what is no trace fails with 1 and the file's name") {
    const Desk desk;
    std::ofstream(desk.file("text.zst")) << "this is not a trace\n";
    const Result result = desk.analyze("text.zst");
    CHECK(result.status == 1);
    CHECK(contains(result.err, "text.zst"));
    std::filesystem::create_directory(desk.file("dir.zst"));
    CHECK(desk.analyze("dir.zst").status == 1);
    // There and not to be read: no missing trace, and none of its causes.
    std::filesystem::create_symlink("loop.zst", desk.file("loop.zst"));
    const Result loop = desk.analyze("loop.zst");
    CHECK(loop.status == 1);
    CHECK(contains(loop.err, "cannot read loop.zst"));
    CHECK_FALSE(contains(loop.err, "Likely causes"));
}

TEST_CASE("a directory is a pattern, and where the trace is missing it is said what it was taken for") {
    const Desk desk;
    std::filesystem::create_directory(desk.file("work"));
    const Result missing = desk.analyze("work");
    CHECK(missing.status == 1);
    CHECK(contains(missing.err, "work is a directory and was taken for a pattern"));
    write_trace(desk.file("trace.zst"), {});
    CHECK(contains(desk.analyze("work").out, "due to restriction <'work'>"));
}

TEST_CASE("a trace that is named twice is read once, and that is said") {
    const Desk desk;
    write_trace(desk.file("trace.zst"), {});
    std::filesystem::create_symlink("trace.zst", desk.file("link.zst"));
    const Result result = desk.analyze("trace.zst ./trace.zst link.zst");
    CHECK(contains(result.out, "         7 function calls in"));
    CHECK(contains(result.out, "Note: ./trace.zst is named more than once and was read once\n"));
    CHECK(contains(result.out, "Note: link.zst is named more than once and was read once\n"));
    CHECK(contains(desk.shell("\"$TOOL\" trace.zst - <trace.zst").out, "         7 function calls in"));
}

TEST_CASE("a directory for debug files that is not there is said to be none") {
    const Desk desk;
    write_trace(desk.file("trace.zst"), {});
    std::filesystem::create_directory(desk.file("there"));
    const Result result = desk.analyze("--debug-dir there --debug-dir gone");
    CHECK(result.status == 0);
    CHECK(contains(result.out, "Note: --debug-dir gone is no directory\n"));
    CHECK_FALSE(contains(result.out, "there is no directory"));
}

TEST_CASE("every command has a JSON document") {
    const Desk desk;
    write_trace(desk.file("trace.zst"), {});
    const json report = json::parse(desk.analyze("--json").out);
    for (const char* command : {"report", "tree", "callers", "callees", "info"}) {
        const Result result = desk.analyze(std::string(command) + " --json");
        CHECK(result.status == 0);
        const json document = json::parse(result.out);
        for (const char* member : {"schema_version", "program", "wall_ns", "total_calls", "primitive_calls", "integrity"})
            CHECK(document.at(member) == report.at(member));
        CHECK(document.contains("notes"));
    }
    CHECK(json::parse(desk.analyze("callers --json").out).at("edges").size() == 3);
    CHECK(json::parse(desk.analyze("info --json").out).at("modules").at(0).at("path") == "/opt/app");
}

TEST_CASE("a tree without words ends at one percent, and one that is asked for shows what was asked") {
    const Desk desk;
    write_trace(desk.file("trace.zst"), {.tail_ns = 3'000'000'000});
    CHECK(contains(desk.analyze("tree").out, "due to restriction <call paths under 1% of the time>"));
    CHECK_FALSE(contains(desk.analyze("tree").out, "leaf()"));
    for (const char* words : {"leaf", "all", "10", "--min 0"})
        CHECK(contains(desk.analyze(std::string("tree ") + words).out, "leaf()"));
    CHECK_FALSE(contains(desk.analyze("tree leaf --min 1").out, "leaf()"));
}

TEST_CASE("damage is a line in the report, and exit status 4 with --strict") {
    const Desk desk;
    write_trace(desk.file("whole.zst"), {});
    CHECK(desk.analyze("whole.zst --strict").status == 0);
    fnprof::testing::TraceBuilder trace;
    trace.process("/opt/app", {"app"}).clock_pair(0, 0).clock_pair(1000, 1000).metadata_block();
    trace.skip_chunks(1, 2);
    trace.records(1,
                  {fnprof::testing::enter(0x1100, 0x1200, 0x7000, 10), fnprof::testing::exit(0x1100, 0x1200, 0x7000, 20)});
    trace.end(30).metadata_block();
    trace.write_file(desk.file("holes.zst"));
    const Result result = desk.analyze("holes.zst");
    CHECK(result.status == 0);
    CHECK(contains(result.out, "Note: Incomplete"));
    const Result strict = desk.analyze("holes.zst --strict");
    CHECK(strict.status == 4);
    CHECK(strict.out == result.out);
    CHECK(contains(strict.err, "--strict"));
    CHECK(desk.analyze("holes.zst --strict --json").status == 4);
}

TEST_CASE("both JSON documents balance and agree on ids") {
    const Desk desk;
    write_trace(desk.file("trace.zst"), {});
    const json report = json::parse(desk.analyze("report --json").out), tree = json::parse(desk.analyze("tree --json").out);
    CHECK(report.at("total_calls") == 7);
    CHECK(report.at("functions") == tree.at("functions"));
    CHECK(tree.at("call_paths").size() == 3);
    const Result ignored = desk.analyze("--json 1");
    CHECK(json::parse(ignored.out).at("functions").size() == 3);
    CHECK(contains(ignored.err, "restrictions are ignored"));
}

TEST_CASE("a trace can come through standard input") {
    const Desk desk;
    write_trace(desk.file("trace.zst"), {});
    const std::string expected = desk.analyze("").out;
    CHECK(desk.shell("cat trace.zst | \"$TOOL\" -").out == expected);
    CHECK(desk.shell("\"$TOOL\" - <trace.zst").out == expected);
}

TEST_CASE("several traces merge in any order") {
    const Desk desk;
    write_trace(desk.file("a.zst"), {});
    write_trace(desk.file("b.zst"), {.pid = 200});
    const Result result = desk.analyze("report --json a.zst b.zst");
    CHECK(json::parse(result.out).at("total_calls") == 14);
    CHECK(json::parse(result.out).at("functions").size() == 3);
    CHECK(desk.analyze("report --json b.zst a.zst").out == result.out);
    CHECK(contains(desk.analyze("a.zst b.zst").out, "app and others: 2 processes (pid 100, 200), 2 threads"));
}

TEST_CASE("other processes' traces of the same run are named, and added on demand") {
    const Desk desk;
    write_trace(desk.file("trace.zst"), {});
    write_trace(desk.file("trace.200.zst"),
                {.pid = 200, .parent_pid = 100, .process_start = 1001, .fork_parent_pid = 100, .fork_parent_start = 1000});
    write_trace(desk.file("trace.300.zst"), {.pid = 300, .parent_pid = 200, .process_start = 1002});
    write_trace(desk.file("trace.300.2.zst"), {.pid = 300, .parent_pid = 200, .process_start = 1002});
    // Not of this run: another boot, another parent, a parent's number used again, not a trace, another name.
    write_trace(desk.file("trace.400.zst"), {.pid = 400, .parent_pid = 100, .process_start = 1003, .boot = 'B'});
    write_trace(desk.file("trace.500.zst"), {.pid = 500, .parent_pid = 99, .process_start = 1003});
    write_trace(desk.file("trace.600.zst"), {.pid = 600, .parent_pid = 100, .process_start = 999});
    std::ofstream(desk.file("trace.700.zst")) << "text";
    write_trace(desk.file("other.800.zst"), {.pid = 800, .parent_pid = 100, .process_start = 1003});

    const Result one = desk.analyze("");
    CHECK(contains(one.out, "         7 function calls"));
    CHECK(contains(one.out,
                   "Note: trace.200.zst, trace.300.2.zst, trace.300.zst of the same run are not included; add them "
                   "with --all-processes\n"));
    const Result all = desk.analyze("--all-processes");
    CHECK(contains(all.out, "         28 function calls"));
    CHECK_FALSE(contains(all.out, "of the same run"));
    // From the child's side and by a path.
    CHECK(contains(desk.analyze(desk.file("trace.300.zst") + " --all-processes").out, "         28 function calls"));
    CHECK_FALSE(contains(desk.analyze("trace.500.zst").out, "of the same run"));
}

TEST_CASE("output that cannot be written is a failure, whatever it is") {
    const Desk desk;
    write_trace(desk.file("trace.zst"), {});
    for (const std::string words :
         {"", "tree", "callers", "callees", "info", "--json", "--help", "help tree", "--version", "--strict"}) {
        for (const std::string redirection : {" >/dev/full", " >&-"}) {
            CAPTURE(words);
            CAPTURE(redirection);
            const Result result = desk.shell("\"$TOOL\" " + words + redirection);
            CHECK(result.status == 1);
            CHECK(contains(result.err, "could not be written"));
        }
    }
}

TEST_CASE("callers and callees have an order and a limit on both levels") {
    const Desk desk;
    write_trace(desk.file("trace.zst"), {});
    const std::string text = desk.analyze("callees -s name 1 --edge-sort tottime,name --edge-reverse --edge-limit 0").out;
    CHECK(contains(text, "   Ordered by: function name\n   List reduced from 3 to 1 due to restriction <1>\n"));
    CHECK(contains(text, "   Callees ordered by: internal time, function name\n   Callees of each function limited to <0>\n"));
    CHECK(contains(desk.analyze("callers leaf --edge-limit 0").out, "<-      3 6.000ms          1 more caller not shown\n"));
}

TEST_CASE("a word that is nearly a command is told from one that is nearly a function") {
    const Desk desk;
    write_trace(desk.file("trace.zst"), {});
    CHECK(contains(desk.analyze("callrs").out, "there is a command callers\n"));
    CHECK(contains(desk.analyze("trace.zst callers").out, "'callers' is a command only as the first word\n"));
    const std::string meant = "matches 'wrok'; did you mean work?\n";
    CHECK(contains(desk.analyze("wrok").out, "   No function " + meant));
    CHECK(contains(desk.analyze("callers wrok").out, "   No function " + meant));
    CHECK(contains(desk.analyze("tree wrok").out, "   No call path " + meant));
}

TEST_CASE("width and colour follow the options, and a pipe has neither") {
    const Desk desk;
    write_trace(desk.file("trace.zst"), {});
    CHECK_FALSE(contains(desk.analyze("").out, "\x1b"));
    CHECK(contains(desk.analyze("--color=always").out, "\x1b[1m"));
    const std::string narrow = desk.analyze("--width 60").out;
    CHECK(contains(narrow, "   Times: elapsed per thread, waiting included; the hooks'\n"));
}

TEST_CASE("in a pipe long names are cut in their parameters, sentences are whole") {
    const Desk desk;
    // leaf(leaf_parameter_type...) with sixteen parameters
    write_trace(desk.file("trace.zst"), {.leaf = "_Z4leaf19leaf_parameter_typeS_S_S_S_S_S_S_S_S_S_S_S_S_S_S_"});
    const Result result = desk.analyze("leaf");
    CHECK(contains(result.out, "app(leaf(leaf_parameter_type, leaf_parameter_type, "));
    CHECK(contains(result.out, "...))\n"));
    CHECK(contains(
        result.out,
        "   Times: elapsed per thread, waiting included; the hooks' own cost, 0.0% of what was measured, is taken out; "));
    std::istringstream lines(result.out);
    for (std::string line; std::getline(lines, line);) CHECK(line.size() <= 200);
    for (const char* uncut : {"leaf --width 0", "leaf --pstats", "--json"})
        CHECK(contains(desk.analyze(uncut).out, "leaf_parameter_type, leaf_parameter_type)"));
}

TEST_CASE("help and version go to standard output and succeed, wherever they are asked for") {
    const Desk desk;
    const Result help = desk.analyze("--help");
    CHECK(help.status == 0);
    for (const char* command : {"report", "tree", "callers", "callees", "info"}) {
        CHECK(contains(help.out, std::string("\n  ") + command));
        const Result own = desk.analyze(std::string(command) + " --help");
        CHECK(own.status == 0);
        CHECK(contains(own.out, std::string("usage: fnprof-analyze ") + command));
    }
    CHECK(contains(help.out, "--sort"));  // the default command's options
    CHECK(desk.analyze("help tree").out == desk.analyze("tree --help").out);
    CHECK(desk.analyze("trace.zst --help").out == desk.analyze("report --help").out);
    for (const char* words : {"--version", "report --version", "tree trace.zst --version", "-s name --version"}) {
        const Result version = desk.analyze(words);
        CHECK(version.status == 0);
        CHECK(version.out == "fnprof-analyze " FNPROF_TEST_VERSION "\n");
    }
}

TEST_CASE("a crash of the tool itself says where and keeps its signal") {
    const Desk desk;
    // The shell's redirection waits until the tool, by then prepared, opens the pipe to read it.
    const Result result = desk.shell("mkfifo pipe; \"$TOOL\" pipe & tool=$!; "
                                     "timeout 60 sh -c 'exec 3>pipe; kill -SEGV $0' $tool; wait $tool; echo status $?");
    CHECK(contains(result.out, "status 139"));
    CHECK(contains(result.err, "internal error: segmentation fault"));
    CHECK(contains(result.err, "main"));
}
