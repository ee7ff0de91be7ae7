// Parts of the made-up process's run: main from 1 to 41 ms calls work at 2, 12 and 22 ms for 9 ms, and each work leaf after 1 ms for 2 ms.
#include "cli/run_words.h"
#include "report/order.h"
#include "tool.h"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

using namespace fnprof::cli;
using namespace fnprof::cli::test;
using nlohmann::json;

namespace {

bool contains(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

// From the selection's announcement on; the lines above it, and that there is no debug information, are every report's.
std::string from_selection(std::string text) {
    const size_t note = text.find("   Note: no file and line");
    if (note != std::string::npos) text.erase(note, text.find('\n', note) + 1 - note);
    const size_t start = text.find("   Selection:");
    return start == std::string::npos ? text : text.substr(start);
}

struct Traced {
    Traced() { write_trace(desk.file("trace.zst"), {}); }
    std::string selected(const std::string& arguments) const { return from_selection(desk.analyze(arguments).out); }
    Desk desk;
};

}  // namespace

TEST_CASE("times have a unit, or are 0") {
    CHECK(parse_time("10ns") == 10);
    CHECK(parse_time("1.5us") == 1500);
    CHECK(parse_time("2ms") == 2'000'000);
    CHECK(parse_time(".25s") == 250'000'000);
    CHECK(parse_time("1.5m") == 90'000'000'000);
    CHECK(parse_time("1h") == 3'600'000'000'000);
    CHECK(parse_time("0") == 0);
    for (const char* text : {"", "10", "ms", "1.2.3ms", "-1ms", "1 ms", "1day", ".s", "99999999999999999h"}) {
        CAPTURE(text);
        CHECK_FALSE(parse_time(text));
    }
}

TEST_CASE("a range of time is relative with units, and of the monotonic clock without") {
    RunWords words;
    words.set_time_range("10ms~1.5s");
    CHECK(words.selection.from_ns == 10'000'000);
    CHECK(words.selection.until_ns == 1'500'000'000);
    CHECK_FALSE(words.selection.by_monotonic_clock);
    words.set_time_range("~5us");
    CHECK(words.selection.from_ns == 0);
    CHECK(words.selection.until_ns == 5000);
    words.set_time_range("12345.000000001~");
    CHECK(words.selection.from_ns == 12'345'000'000'001);
    CHECK(words.selection.until_ns == ~uint64_t{0});
    CHECK(words.selection.by_monotonic_clock);
    for (const char* text : {"~", "", "10ms", "2s~1s", "1s~1s", "10ms~20", "a~b", "1ms~2ms~3ms"}) {
        CAPTURE(text);
        CHECK_THROWS_AS(words.set_time_range(text), fnprof::report::UsageError);
    }
}

TEST_CASE("a range of time has the time inside of the calls that it cuts, and says how it counts them") {
    const Traced trace;
    CHECK(trace.selected("--time-range 4ms~12ms") == R"(   Selection: time range 4ms~12ms shows 0 of 7 calls, 8.000ms of 40.00ms (20.0%); a call counts if it began in the range, the time inside counts of all calls
   Percentages are shares of the 8.000ms that are shown
   Ordered by: cumulative time

   ncalls tottime percall cumtime percall self%  cum% filename:lineno(function)
        0 1.000ms         8.000ms          12.5 100.0 app(main)
        0 6.000ms         7.000ms          75.0  87.5 app(work(int))
        0 1.000ms         1.000ms          12.5  12.5 app(leaf())
)");
    const std::string second = trace.selected("--time-range 12ms~22ms");
    CHECK(contains(second, "time range 12ms~22ms shows 2 of 7 calls, 10.00ms of 40.00ms (25.0%)"));
    CHECK(contains(second, "        1 7.000ms 7.000ms 9.000ms 9.000ms  70.0  90.0 app(work(int))\n"));
    const auto without_words = [](const std::string& text) { return text.substr(text.find(" shows ")); };
    CHECK(without_words(trace.selected("--time-range 0.012~0.022")) == without_words(second));
}

TEST_CASE("calls that are too short or too deep are a part of their callers") {
    const Traced trace;
    const std::string expected = R"( shows 4 of 7 calls, 40.00ms of 40.00ms (100.0%); 3 calls and 6.000ms count as part of their callers
   Percentages are shares of the 40.00ms that are shown
   Ordered by: cumulative time

   ncalls tottime percall cumtime percall self%  cum% filename:lineno(function)
        1 13.00ms 13.00ms 40.00ms 40.00ms  32.5 100.0 app(main)
        3 27.00ms 9.000ms 27.00ms 9.000ms  67.5  67.5 app(work(int))
)";
    CHECK(trace.selected("--min-time 3ms") == "   Selection: min time 3ms" + expected);
    CHECK(trace.selected("--max-depth 2") == "   Selection: max depth 2" + expected);
    CHECK(trace.selected("--hide leaf") == "   Selection: hide 'leaf'" + expected);
}

TEST_CASE("selections of call paths weigh what they show") {
    const Traced trace;
    CHECK(trace.selected("tree --focus leaf all") == R"(   Selection: focus 'leaf' shows 3 of 7 calls, 6.000ms of 40.00ms (15.0%)
   Percentages are shares of the 6.000ms that are shown
   Ordered by: cumulative time

   ncalls tottime cumtime  cum% call path
        0  <1.0ns 6.000ms 100.0 main
        0  <1.0ns 6.000ms 100.0   work(int)
        3 6.000ms 6.000ms 100.0     leaf()
)");
    CHECK(contains(trace.selected("--ignore leaf"), "ignore 'leaf' shows 4 of 7 calls, 34.00ms of 40.00ms (85.0%)"));
    CHECK(contains(trace.selected("callers --show-from work leaf"), "show-from 'work' shows 6 of 7 calls, 27.00ms of 40.00ms (67.5%)"));
    // One after the other, each on what is left.
    const std::string both = trace.selected("--ignore leaf --hide work");
    CHECK(contains(both, "ignore 'leaf' shows 4 of 7 calls, 34.00ms of 40.00ms (85.0%)\n"));
    CHECK(contains(both, "hide 'work' shows 1 of 4 calls, 34.00ms of 34.00ms (100.0%); 3 calls and 21.00ms count as part of their callers\n"));
}

TEST_CASE("groups have the percentiles of all their functions' calls, and no first call") {
    const Desk desk;
    write_trace(desk.file("trace.zst"), {});
    const json document = json::parse(desk.analyze("--json --by module").out);
    CHECK(document["by"] == "module");
    CHECK(document["functions"][0]["name"] == "/opt/app");
    CHECK(document["functions"][0]["ncalls"] == 7);
    CHECK(document["functions"][0]["primitive_calls"] == 1);
    CHECK(document["functions"][0]["durations"]["calls"] == 7);
    CHECK(document["functions"][0]["durations"]["p50_ns"].is_number());
    CHECK(document["functions"][0]["first_calls"].is_null());
}

TEST_CASE("a document says what was selected") {
    const Traced trace;
    const json document = json::parse(trace.desk.analyze("--json --time-range 12ms~ --focus work").out);
    REQUIRE(document["selection"].size() == 2);
    CHECK(document["selection"][0]["what"] == "time range 12ms~");
    CHECK(document["selection"][0]["before"]["calls"] == 7);
    CHECK(document["selection"][0]["after"] == json{{"calls", 4}, {"self_ns", 29'000'000}, {"self_net_ns", 29'000'000}});
    CHECK(document["selection"][1]["what"] == "focus 'work'");
    CHECK(document["selection"][1]["after"]["self_ns"] == 18'000'000);
    CHECK(json::parse(trace.desk.analyze("--json").out)["selection"].empty());
}

TEST_CASE("threads and processes are chosen by number or name; where there is none, those that there are are named") {
    const Desk desk;
    write_trace(desk.file("a.zst"), {});
    write_trace(desk.file("b.zst"), {.pid = 200, .process_start = 2000, .leaf = "_Z5otherv"});
    const std::string one = desk.analyze("a.zst b.zst --process 200 all").out;
    CHECK(contains(one, "Selection: process 200 shows 7 of 14 calls, 40.00ms of 80.00ms (50.0%)\n"));
    CHECK(contains(one, "other"));
    CHECK_FALSE(contains(one, "leaf"));
    CHECK(contains(desk.analyze("a.zst --thread 1").out, "thread 1 shows 7 of 7 calls"));
    CHECK(contains(desk.analyze("a.zst --thread '^ap'").out, "thread ^ap shows 7 of 7 calls"));
    const Result none = desk.analyze("a.zst --thread worker");
    CHECK(none.status == 0);
    CHECK(contains(none.out, "Note: --thread worker: there is no such thread; there are 1 app\n"));
    CHECK(contains(none.out, "Nothing is left by the selection.\n"));
    CHECK(contains(desk.analyze("a.zst b.zst --by-process --process 200").out, "(pid 200"));
}

TEST_CASE("a pattern that matches no function says what may have been meant") {
    const Traced trace;
    CHECK(contains(trace.desk.analyze("--focus wrok").out, "focus 'wrok' matches no function; did you mean work?\n"));
}

TEST_CASE("words that make no sense are wrong usage") {
    const Traced trace;
    for (const char* arguments : {"--focus '('", "--thread '('", "--thread ''", "--by colour", "--min-time 5", "--max-depth 0", "--time-range 5ms", "info --focus x",
                                  "threads -s nothing", "threads -s l"}) {
        CAPTURE(arguments);
        CHECK(trace.desk.analyze(arguments).status == 2);
    }
}

TEST_CASE("threads draws when each was busy") {
    const Traced trace;
    const std::string text = trace.desk.shell("LC_ALL=C \"$TOOL\" threads --width 60").out;
    CHECK(text.substr(text.find("  thread process")) == R"(  thread process tid calls  started   lived    busy busy% fnprof lost name
       1     100 100     7 +1.000ms 41.00ms 40.00ms  97.6    0ns    0 app

  1 app  |###############################################%.|
  active |111111111111111111111111111111111111111111111111 |
         +1.000ms                                   +42.00ms

   A column is 836.7us: as full as the share of it that the
      thread was busy, a dot where it lived and was not.
      Active is the number of threads busy at a time (+:
      more than 9): 0.97 on average, at most 1.00 over a
      column.
)");
    const json document = json::parse(trace.desk.analyze("threads --json --time-range 10ms~12ms").out);
    CHECK(document["threads"][0]["busy_ns"] == 2'000'000);
    uint64_t sum = 0;
    for (const json& slice : document["threads"][0]["activity"]["busy_ns"]) sum += slice.get<uint64_t>();
    CHECK(sum == 2'000'000);
}

TEST_CASE("selections of call paths are the browser's too, and those of the run are its own") {
    const Traced trace;
    const std::string text = trace.desk.shell("printf 'tree --focus leaf all\\nthreads\\n' | \"$TOOL\" browse --time-range 12ms~").out;
    CHECK(contains(text, "time range 12ms~ shows 4 of 7 calls"));
    CHECK(contains(text, "focus 'leaf' shows 2 of 4 calls, 4.000ms of 29.00ms"));
    CHECK(contains(text, "active"));
}
