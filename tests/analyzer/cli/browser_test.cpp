// The browser as a script sees it: commands on standard input. What a person sees is e2e.browse's.
#include "cli/browser.h"
#include "cli/interrupt.h"
#include "tool.h"

#include <doctest/doctest.h>

#include <csignal>
#include <fstream>
#include <sstream>

using namespace fnprof::cli;
using namespace fnprof::cli::test;

namespace {

bool contains(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

Result session(const Desk& desk, const std::string& commands, const std::string& arguments = "") {
    std::ofstream(desk.file("commands")) << commands;
    return desk.shell("\"$TOOL\" browse " + arguments + " <commands");
}

// A browser on a trace in a folder of its own.
class Shell {
  public:
    Shell() {
        write_trace(desk_.file("trace.zst"), {});
        Options options;
        options.words.traces = {desk_.file("trace.zst")};
        browser_.emplace(options, out, errors);
    }
    Browser* operator->() { return &*browser_; }

    std::ostringstream out, errors;

  private:
    Desk desk_;
    std::optional<Browser> browser_;
};

}  // namespace

TEST_CASE("each report prints in the browser what the subcommand prints") {
    const Desk desk;
    write_trace(desk.file("trace.zst"), {});
    const std::pair<const char*, const char*> pairs[] = {{"stats", ""},
                                                         {"report", ""},
                                                         {"stats 20 .5 leaf", "20 .5 leaf"},
                                                         {"stats -s name --pstats", "-s name --pstats"},
                                                         {"callers work --edge-limit 0", "callers work --edge-limit 0"},
                                                         {"callees", "callees"},
                                                         {"tree --min 50", "tree --min 50"},
                                                         {"tree 'wo.k' all", "tree 'wo.k' all"},
                                                         {"tree --inverted leaf", "tree --inverted leaf"},
                                                         {"paths leaf", "paths leaf"},
                                                         {"hist work", "hist work"},
                                                         {"slow 2", "slow 2"},
                                                         {"stats --json", "--json"},
                                                         {"stats --raw --width 60", "--raw --width 60"}};
    std::string commands, expected;
    for (const auto& [command, arguments] : pairs) {
        commands += std::string(command) + "\n";
        expected += desk.analyze(arguments).out;
    }
    const Result result = session(desk, commands);
    CHECK(result.status == 0);
    CHECK(result.out == expected);
    CHECK(result.err.empty());
    // In the browser info knows of missing debug information too, which it never looks for by itself.
    CHECK(session(desk, "info\n").out.starts_with(desk.analyze("info").out));
}

TEST_CASE("sort, reverse and strip hold until they are changed") {
    const Desk desk;
    write_trace(desk.file("trace.zst"), {});
    CHECK(session(desk, "sort tottime,name\nstats\ncallers\n").out == desk.analyze("-s tottime,name").out + desk.analyze("callers -s tottime,name").out);
    CHECK(session(desk, "sort tottime name\nreverse\nstats\n").out == desk.analyze("-s tottime,name -r").out);
    CHECK(session(desk, "reverse\nreverse\nstats\nreverse\nsort calls\nstats\n").out == desk.analyze("").out + desk.analyze("-s calls").out);
    CHECK(session(desk, "sort name\nstats -s calls\nstats\n").out == desk.analyze("-s calls").out + desk.analyze("-s name").out);
    CHECK(session(desk, "strip\nstats\n").out == desk.analyze("--strip-dirs").out);
    CHECK(session(desk, "stats\n", "-s name --raw").out == desk.analyze("-s name --raw").out);
}

TEST_CASE("read replaces the traces, add adds to them, and a failure leaves them as they were") {
    const Desk desk;
    write_trace(desk.file("a.zst"), {});
    write_trace(desk.file("b.zst"), {.pid = 200, .tail_ns = 1'000'000});
    const std::string a = desk.analyze("a.zst").out, b = desk.analyze("b.zst").out, both = desk.analyze("a.zst b.zst").out;
    const Result result = session(desk, "stats\nadd b.zst\nstats\nread b.zst\nstats\nread gone.zst\nadd\nread\nread -\nstats\n", "a.zst");
    CHECK(result.out == a + both + b + b);
    CHECK(contains(result.err, "no trace gone.zst\n"));
    CHECK(contains(result.err, "add which trace?\n"));
    CHECK(contains(result.err, "'-' can be no trace\n"));
}

TEST_CASE("what is wrong with a command is said, and the next one runs") {
    const Desk desk;
    write_trace(desk.file("trace.zst"), {});
    const Result result = session(desk, "stast\nfrobnicate\nsort c\nstats (\nstats 1.5\nstats --bogus\nstats 'x\ninfo 3\n\n   \nstats\nquit\nstats\n");
    CHECK(result.status == 0);
    CHECK(result.out == desk.analyze("").out);
    for (const char* said : {"stast is no command, did you mean stats?", "frobnicate is no command; 'help' lists them",
                             "sort key 'c' is ambiguous", "regular expression", "restriction 1.5 is no share", "--bogus", "has no partner",
                             "info takes no restrictions"})
        CHECK(contains(result.err, said));
    CHECK(session(desk, "EOF\nstats\n").out.empty());
    CHECK(session(desk, "stats").out == result.out);  // without an end of line
}

TEST_CASE("a browser that cannot begin fails as the other commands do") {
    const Desk desk;
    CHECK(desk.shell("\"$TOOL\" browse </dev/null").status == 1);
    CHECK(contains(desk.shell("\"$TOOL\" browse </dev/null").err, "no trace"));
    write_trace(desk.file("trace.zst"), {});
    CHECK(desk.shell("\"$TOOL\" browse - <trace.zst").status == 2);
    CHECK(desk.shell("\"$TOOL\" browse --json </dev/null").status == 2);
    CHECK(desk.shell("echo stats | \"$TOOL\" browse >/dev/full").status == 1);
}

TEST_CASE("help lists every command, and says of each what it takes") {
    const Desk desk;
    write_trace(desk.file("trace.zst"), {});
    const std::string list = session(desk, "help\n").out;
    for (const char* command : {"stats", "callers", "callees", "tree", "paths", "hist", "slow", "info", "read", "add", "sort", "reverse", "strip", "help", "quit", "EOF"}) {
        CHECK(contains(list, std::string("\n  ") + command) != (list.find(std::string("  ") + command) == 0));
        const Result result = session(desk, std::string("help ") + command + "\n");
        CHECK(contains(result.out, command));
        CHECK(result.err.empty());
    }
    CHECK(contains(session(desk, "help callers\n").out, "usage: callers [OPTION...] [RESTRICTION...]\n"));
    CHECK_FALSE(contains(session(desk, "help callers\n").out, "debug-dir"));
    CHECK(contains(session(desk, "sort\n").out, "\n  percall_tottime  internal time per call\n"));
}

TEST_CASE("words are what blanks separate, except between quotes") {
    CHECK(split_line("stats 20 .5 foo") == Arguments{"stats", "20", ".5", "foo"});
    CHECK(split_line("  a\t'b c'd \"e 'f'\"  ") == Arguments{"a", "b cd", "e 'f'"});
    CHECK(split_line("stats f\\(int\\)") == Arguments{"stats", "f\\(int\\)"});
    CHECK(split_line("x ''") == Arguments{"x", ""});
    CHECK(split_line("").empty());
    CHECK_THROWS_AS(split_line("a \"b"), fnprof::report::UsageError);
}

TEST_CASE("a word can become a command, a sort key, a function or a file, by where it stands") {
    Shell shell;
    CHECK(shell->completions("", "ca") == Arguments{"callers", "callees"});
    CHECK(shell->completions("help ", "st") == Arguments{"stats", "strip"});
    CHECK(shell->completions("sort calls,", "cum") == Arguments{"cumtime", "cumulative"});
    CHECK(shell->completions("stats 20 ", "") == Arguments{"leaf", "main", "work"});
    CHECK(shell->completions("  callers ", "w") == Arguments{"work"});
    CHECK(shell->completions("reverse ", "") == Arguments{});
    CHECK(shell->completions("info ", "") == Arguments{});
    CHECK_FALSE(shell->completions("read ", "tr"));
    CHECK(shell->prompt().ends_with("trace.zst% "));
}

TEST_CASE("an interrupt ends what is being printed and nothing else") {
    remember_interrupts();
    std::ostringstream target;
    InterruptibleOutput out(target);
    out << "before";
    raise(SIGINT);
    CHECK_THROWS_AS(out << "after", Interrupted);
    CHECK(target.str() == "before");
    forget_interrupt();
    out.clear();
    out << ", again";
    CHECK(target.str() == "before, again");
    std::signal(SIGINT, SIG_DFL);
}
