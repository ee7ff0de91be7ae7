// diff and check-budget as their users type them.
#include "tool.h"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

using namespace fnprof::cli::test;
using nlohmann::json;

namespace {

bool contains(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

// old.zst and new.zst, whose main runs 20 ms longer.
void write_pair(const Desk& desk) {
    write_trace(desk.file("old.zst"), {});
    ProcessSpec slower;
    slower.pid = 200;
    slower.tail_ns = 20'000'000;
    write_trace(desk.file("new.zst"), slower);
}

}  // namespace

TEST_CASE("diff prints a verdict, the runs, a table and what it means") {
    const Desk desk;
    write_pair(desk);
    const Result result = desk.analyze("diff old.zst -- new.zst");
    CHECK(result.status == 0);
    CHECK(result.out.starts_with(R"(B takes 20.00ms more than A (+50.0%): main explains 100.0% of it (own time 13.00ms -> 33.00ms a call)

   A: old.zst: 7 calls, 40.00ms
   B: new.zst: 7 calls, 60.00ms
)"));
    CHECK(contains(result.out, R"(
explains%     time calls    tottime count mix  percall    call:A  call:B                 change filename:lineno(function)
    100.0 +20.00ms     1   +20.00ms     0   0 +20.00ms   40.00ms 60.00ms +20.00ms (no interval) app(main)
      0.0        0     3          0     0   0        0   9.000ms 9.000ms                 <0.3ns app(work(int))
      0.0        0     3          0     0   0        0   2.000ms 2.000ms                 <0.3ns app(leaf())

   Times: )"));
}

TEST_CASE("two traces need no dashes, options and restrictions may stand on either side") {
    const Desk desk;
    write_pair(desk);
    const std::string plain = desk.analyze("diff old.zst -- new.zst").out;
    CHECK(desk.analyze("diff old.zst new.zst").out == plain);
    const std::string restricted = desk.analyze("diff --width 70 -s name 'work|main' old.zst -- new.zst").out;
    CHECK(contains(restricted, "List reduced from 3 to 2 due to restriction <'work|main'>"));
    CHECK(contains(restricted, "Ordered by: change of function name"));
    CHECK(desk.analyze("diff old.zst -- new.zst --width 70 -s name 'work|main'").out == restricted);
    CHECK(desk.analyze("--width 70 diff old.zst -- new.zst -s name 'work|main'").out == restricted);
}

TEST_CASE("several runs a side are told, with an interval of the total") {
    const Desk desk;
    for (const int run : {1, 2, 3}) {
        ProcessSpec spec;
        spec.pid = 100 + static_cast<uint64_t>(run);
        spec.tail_ns = static_cast<uint64_t>(run) * 1'000'000;
        write_trace(desk.file("a" + std::to_string(run) + ".zst"), spec);
        spec.pid += 100;
        spec.tail_ns += 30'000'000;
        write_trace(desk.file("b" + std::to_string(run) + ".zst"), spec);
    }
    const std::string out = desk.analyze("diff a1.zst a2.zst a3.zst -- b1.zst b2.zst b3.zst").out;
    CHECK(out.starts_with("B takes 30.00ms more than A (+71.4%; 95% interval +27.73ms to +32.27ms): main explains 100.0% of it (own time 15.00ms -> 45.00ms a call)\n"));
    CHECK(contains(out, "   A: a1.zst, a2.zst, a3.zst: 7 calls, 42.00ms (means of 3 runs)\n"));
    CHECK(contains(out, " +30.00ms +-2.267ms app(main)\n"));
    CHECK(contains(out, "95% interval (Welch's t) from the means of 3 and 3 runs"));
}

TEST_CASE("processes of one run are one run") {
    const Desk desk;
    ProcessSpec child;
    child.pid = 101;
    child.parent_pid = 100;
    child.process_start = 1001;
    write_trace(desk.file("old.zst"), {});
    write_trace(desk.file("child.zst"), child);
    write_trace(desk.file("new.zst"), {});
    const json document = json::parse(desk.analyze("diff --json old.zst child.zst -- new.zst").out);
    CHECK(document.at("a").at("runs") == 1);
    CHECK(document.at("a").at("total_calls") == 14);
}

TEST_CASE("diff says what to write where the traces do not make two sides") {
    const Desk desk;
    write_pair(desk);
    for (const char* arguments : {"diff", "diff old.zst", "diff old.zst new.zst old.zst", "diff old.zst --", "diff -- new.zst", "diff old.zst -- new.zst -- old.zst",
                                  "diff old.zst -- work"}) {
        CAPTURE(arguments);
        const Result result = desk.analyze(arguments);
        CHECK(result.status == 2);
        CHECK(result.out.empty());
        CHECK(contains(result.err, "fnprof-analyze diff A1.zst A2.zst -- B1.zst B2.zst"));
    }
    CHECK(contains(desk.analyze("diff - -- -").err, "on both sides"));
    CHECK(contains(desk.analyze("diff --json --md old.zst new.zst").err, "choose one"));
    CHECK(desk.analyze("diff old.zst -- gone.zst").status == 1);
    CHECK(desk.analyze("diff --help").status == 0);
    CHECK(contains(desk.analyze("diff --help").out, "usage: fnprof-analyze diff [OPTION...] A... -- B... [RESTRICTION...]\n"));
}

TEST_CASE("a trace without calls has nothing to compare") {
    const Desk desk;
    write_trace(desk.file("old.zst"), {});
    write_empty_trace(desk.file("empty.zst"));
    const Result result = desk.analyze("diff old.zst empty.zst");
    CHECK(result.status == 1);
    CHECK(contains(result.err, "there are no calls in empty.zst"));
}

TEST_CASE("a change that a condition forbids is exit status 3, in every form") {
    const Desk desk;
    write_pair(desk);
    const Result failed = desk.analyze("diff old.zst new.zst --fail-on 'total > +10%; ncalls(work) > 0'");
    CHECK(failed.status == 3);
    CHECK(contains(failed.out, R"(
Failed: 1 of 2 conditions holds

FAIL  total > +10%      +20.00ms (+50.0%)  one run a side: whether it is noise is not known
ok    ncalls(work) > 0  +0 (+0.0%)

)"));
    CHECK(desk.analyze("diff old.zst -- new.zst --json --fail-on 'total > +10%'").status == 3);
    const Result markdown = desk.analyze("diff --md old.zst -- new.zst --fail-on 'total > +10%'");
    CHECK(markdown.status == 3);
    CHECK(contains(markdown.out, "| **FAIL** | `total > +10%` | +20.00ms (+50.0%) |"));
    CHECK(desk.analyze("diff old.zst new.zst --fail-on 'total > +60%'").status == 0);
    CHECK(desk.analyze("diff new.zst old.zst --fail-on 'total > +10%'").status == 0);
    CHECK(contains(desk.analyze("diff old.zst new.zst --fail-on 'wrok mean > +10%'").err, "did you mean work?"));
    CHECK(desk.analyze("diff old.zst new.zst --fail-on 'wrok mean > +10%'").status == 2);
    CHECK(desk.analyze("diff old.zst new.zst --fail-on 'total > 10%'").status == 2);
    CHECK(desk.analyze("diff old.zst new.zst --absent work").status == 2);
}

TEST_CASE("check-budget: 0 within, 3 beyond, 2 for what cannot be judged") {
    const Desk desk;
    write_trace(desk.file("trace.zst"), {});
    const Result within = desk.analyze("check-budget 'work p99 > 20ms; ncalls(leaf) > 1e6'");
    CHECK(within.status == 0);
    CHECK(within.out.starts_with("Passed: none of the 2 conditions holds\n\n"));
    CHECK(contains(within.out, "ok    work p99 > 20ms     9.000ms\n"));
    const Result beyond = desk.analyze("check-budget --color never 'work p99 > 2ms' trace.zst");
    CHECK(beyond.status == 3);
    CHECK(contains(beyond.out, "FAIL  work p99 > 2ms  9.000ms\n"));
    CHECK(desk.analyze("check-budget --json 'work p99 > 2ms'").status == 3);
    CHECK(json::parse(desk.analyze("check-budget --json 'work p99 > 2ms'").out).at("conditions").at(0).at("function") == "work(int)");
    CHECK(desk.analyze("check-budget --md 'work p99 > 2ms'").status == 3);
    for (const char* words : {"", "''", "'lef p99 > 2ms'", "'work p99'", "'work p99 > +2ms'", "'ncalls(gone) > 0'", "'work p99 > 2ms' work"}) {
        CAPTURE(words);
        const Result wrong = desk.analyze(std::string("check-budget ") + words);
        CHECK(wrong.status == 2);
        CHECK(wrong.out.empty());
    }
    CHECK(desk.analyze("check-budget 'ncalls(gone) > 0' --absent gone").status == 0);
    CHECK(desk.analyze("check-budget 'ncalls(leaf) > 0' gone.zst").status == 1);
}
