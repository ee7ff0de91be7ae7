// Whole tables, letter by letter.
#include "report/table.h"
#include "report/info.h"
#include "report/tree.h"
#include "sample_profile.h"

#include <doctest/doctest.h>

#include <cstdlib>
#include <ctime>
#include <sstream>

using namespace fnprof;
using namespace fnprof::report;

namespace {

// Prints with `print(stream, page)` on a page of that width, in UTC.
template <typename Print>
std::string printed(const test::Sample& sample, size_t width, Print print, bool raw = false, bool colour = false) {
    setenv("TZ", "UTC", 1);
    tzset();
    const Figures figures(sample.profile, raw);
    const Page page{sample.profile, sample.names, figures, {"/home/user/app"}, width, width, colour, {}};
    std::ostringstream out;
    print(out, page);
    return out.str();
}

std::string table(const test::Sample& sample, size_t width, const TableOptions& options, bool raw = false,
                  bool colour = false) {
    return printed(
        sample, width, [&](std::ostream& out, const Page& page) { print_table(out, page, options); }, raw, colour);
}

bool contains(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("the table fits a page of 80 columns") {
    CHECK(table(test::sample(), 80, {parse_order("cumulative"), {FirstRows{6}}}) ==
          R"(         3122 function calls (3116 primitive calls) in 0.756 seconds

   app (pid 4242), 2 threads, Tue Nov 14 22:13:20 2023, wall 700.0ms
   Times: elapsed per thread, waiting included; the hooks' own cost, 0.0% of
      what was measured, is taken out; clock step 10ns
   Ordered by: cumulative time
   List reduced from 8 to 6 due to restriction <6>

   ncalls tottime percall cumtime percall self% cum% filename:lineno(function)
        1 100.0ms 100.0ms 671.9ms 671.9ms  13.2 88.9 src/main.cpp:10(main)
     1000 500.0ms 500.0us 501.9ms 501.9us  66.1 66.4 parse.cpp:120(...::parse<...>(...))
        1 50.00ms 50.00ms 84.00ms 84.00ms   6.6 11.1 worker.cpp:30(worker(v...))
      7/1 70.00ms 10.00ms 70.00ms 70.00ms   9.3  9.3 src/fib.cpp:3(fib(int))
       10 30.00ms 3.000ms 30.00ms 3.000ms   4.0  4.0 b.cpp:7(helper(char co...))
        3 4.000ms 1.333ms 4.000ms 1.333ms   0.5  0.5 libgone.so+0x1a2b

   2 more functions not shown: 2100 calls, 1.960ms of internal time (0.3%);
      'all' shows everything
)");
}

TEST_CASE("a table that is piped cuts nothing, shows every unit and what is too short to know") {
    CHECK(table(test::sample(), 0, {parse_order("time,name"), {}}) ==
          R"(         3122 function calls (3116 primitive calls) in 0.756 seconds

   app (pid 4242), 2 threads, Tue Nov 14 22:13:20 2023, wall 700.0ms
   Times: elapsed per thread, waiting included; the hooks' own cost, 0.0% of what was measured, is taken out; clock step 10ns
   Ordered by: internal time, function name

   ncalls tottime percall cumtime percall self% cum% filename:lineno(function)
     1000 500.0ms 500.0us 501.9ms 501.9us  66.1 66.4 src/parse.cpp:120(std::vector<int> text::parse<std::map<std::string, int> >(std::map<std::string, int> const&, int))
        1 100.0ms 100.0ms 671.9ms 671.9ms  13.2 88.9 src/main.cpp:10(main)
      7/1 70.00ms 10.00ms 70.00ms 70.00ms   9.3  9.3 src/fib.cpp:3(fib(int))
        1 50.00ms 50.00ms 84.00ms 84.00ms   6.6 11.1 src/worker.cpp:30(worker(void*))
       10 30.00ms 3.000ms 30.00ms 3.000ms   4.0  4.0 src/b.cpp:7(helper(char const*))
        3 4.000ms 1.333ms 4.000ms 1.333ms   0.5  0.5 libgone.so+0x1a2b
     2000 1.960ms 980.0ns 1.960ms 980.0ns   0.3  0.3 src/a.cpp:7(helper(char const*))
      100  <1.0us   <10ns  <1.0us   <10ns   0.0  0.0 libtiny.so(tiny())
)");
}

TEST_CASE("pstats' form has pstats' columns and nothing else") {
    CHECK(table(test::sample(), 80, {parse_order("cumulative"), {FirstRows{4}}, true}) ==
          R"(         3122 function calls (3116 primitive calls) in 0.756 seconds

   Ordered by: cumulative time
   List reduced from 8 to 4 due to restriction <4>

   ncalls  tottime  percall  cumtime  percall filename:lineno(function)
        1    0.100    0.100    0.672    0.672 src/main.cpp:10(main)
     1000    0.500    0.000    0.502    0.001 src/parse.cpp:120(std::vector<int> text::parse<std::map<std::string, int> >(std::map<std::string, int> const&, int))
        1    0.050    0.050    0.084    0.084 src/worker.cpp:30(worker(void*))
      7/1    0.070    0.010    0.070    0.070 src/fib.cpp:3(fib(int))

)");
}

TEST_CASE("raw times include the hooks' cost, and the page says so") {
    const std::string text = table(test::sample(), 0, {parse_order("cumulative"), {}}, true);
    CHECK(contains(text, "as measured, the hooks' own cost (0.0% of it) included"));
    CHECK(contains(text, "     2000 2.000ms 1.000us 2.000ms 1.000us   0.3  0.3 src/a.cpp:7(helper(char const*))"));
    CHECK(contains(text, "      100 1.950us 19.50ns 1.950us 19.50ns   0.0  0.0 libtiny.so(tiny())"));
}

TEST_CASE("years of thread time are added up, put in order and compared as seconds are") {
    for (const bool raw : {false, true}) {
        const std::string text = table(test::slow_sample(), 120, {parse_order("cumulative"), {FirstRows{3}}}, raw);
        CHECK(contains(text, "in 75600195.000 seconds"));
        CHECK(contains(text, R"(
   ncalls   tottime   percall   cumtime   percall self% cum% filename:lineno(function)
        1 10000000s 10000000s 67200195s 67200195s  13.2 88.9 src/main.cpp:10(main)
     1000 50000000s    50000s 50200000s    50200s  66.1 66.4 parse.cpp:120(text::parse<...>(...))
        1  5000000s  5000000s  8400000s  8400000s   6.6 11.1 src/worker.cpp:30(worker(void*))

   5 more functions not shown: 2120 calls, 10600195s of internal time (14.0%);)"));
    }
}

TEST_CASE("a profile without recursion names no primitive calls, and percall is blank without calls") {
    model::Profile profile = test::profile_of(2, {{model::kNone, 0, 0, 5'000'000}, {0, 1, 3, 1'000'000}});
    const test::Sample sample{std::move(profile),
                              Names({{"inherited", "inherited", "m", "", 0}, {"leaf", "leaf", "m", "", 0}})};
    const std::string text = table(sample, 0, {parse_order("cumulative"), {}});
    CHECK(contains(text, "         3 function calls in 0.006000 seconds\n"));
    CHECK(contains(text, "        0 5.000ms         6.000ms          83.3 100.0 m(inherited)\n"));
    CHECK(contains(table(sample, 0, {parse_order("cumulative"), {}, true}),
                   "        0    0.005             0.006          m(inherited)\n"));
}

TEST_CASE("time that fnprof took is a line above the table where it matters") {
    test::Sample sample = test::sample();
    const TableOptions options{parse_order("cumulative"), {}};
    CHECK_FALSE(contains(table(sample, 0, options), "held the threads up"));
    sample.profile.threads[1].gap_ns = 8'000'000;
    CHECK(contains(table(sample, 0, options), "   Note: fnprof itself held the threads up for 8.000ms "));
}

TEST_CASE("damage is a line above the table") {
    test::Sample sample = test::sample();
    sample.profile.integrity.complete = false;
    sample.profile.integrity.damaged_blocks = 2;
    sample.profile.integrity.lost_records = 1;
    sample.profile.integrity.unended_processes = 1;
    sample.profile.integrity.remarks = {"something \x1b odd"};
    const std::string text = table(sample, 0, {parse_order("cumulative"), {}});
    CHECK(contains(text, "   Note: Incomplete: part of what was recorded is missing (2 damaged blocks, 1 lost record)"));
    CHECK(contains(text, "   Note: 1 trace without an end record"));
    CHECK(contains(text, "   Note: something \\x1b odd\n"));
}

TEST_CASE("a pattern that matches nothing is said to, with what may have been meant") {
    const auto said = [](std::vector<Restriction> restrictions) {
        const std::string text = table(test::sample(), 0, {parse_order("cumulative"), std::move(restrictions)});
        return text.substr(text.rfind("\n\n") + 2);
    };
    CHECK(said({Matching{"prase"}}) == "   No function matches 'prase'; did you mean parse?\n");
    CHECK(said({Matching{"test::pasre"}}) == "   No function matches 'test::pasre'; did you mean text::parse?\n");
    CHECK(said({Matching{"helper(char const*)"}}) ==
          "   No function matches 'helper(char const*)', which is a regular expression; 2 functions have those letters in the name: put a "
          "backslash before each of ( ) [ ] * + ? |\n");
    CHECK(said({Matching{"^$"}}) == "   No function matches '^$'\n");
    CHECK(said({FirstRows{2}, Matching{"helper"}}) ==
          "   None of these 2 functions matches 'helper'; of those that were hidden before, 2 do: put the pattern first\n");
}

TEST_CASE("colours appear when asked for and change no letter") {
    const TableOptions options{parse_order("cumulative"), {}};
    std::string text = table(test::sample(), 80, options, false, true);
    CHECK(contains(text, "\x1b[31mparse.cpp:120(...::parse<...>(...))\x1b[0m"));
    for (size_t at = 0; (at = text.find('\x1b')) != std::string::npos;) text.erase(at, text.find('m', at) - at + 1);
    CHECK(text == table(test::sample(), 80, options));
}

TEST_CASE("every line of info names its value") {
    const std::string text = printed(test::sample(), 0, [](std::ostream& out, const Page& page) { print_info(out, page); });
    CHECK(contains(
        text, "trace.zst\n  command      /home/user/app/build/app --fast\n  process      4242, child of 4000, on host\n"));
    CHECK(contains(text, "  started      2023-11-14 22:13:20.123 UTC\n"));
    CHECK(contains(text, "       2    4242 4243    14 +10.00ms 90.00ms 84.00ms  93.3 1.000us    0 worker\n"));
    CHECK(contains(text, "  complete     yes\n"));
}
