// Callers and callees, letter by letter.
#include "report/callers.h"
#include "report/text.h"
#include "sample_profile.h"

#include <doctest/doctest.h>

#include <sstream>

using namespace fnprof;
using namespace fnprof::report;

namespace {

// What stands below the heading.
std::string edges(const test::Sample& sample, size_t width, const CallersOptions& options) {
    const Figures figures(sample.profile, false);
    const Page page{sample.profile, sample.names, figures, {"/home/user/app"}, width, width, false, {}};
    std::ostringstream out;
    print_callers(out, page, options);
    const std::string text = out.str();
    return text.substr(text.find("   Ordered by"));
}

std::string edges(Direction direction, std::vector<Restriction> restrictions, size_t width = 0) {
    return edges(test::sample(), width, {direction, parse_order("cumulative"), std::move(restrictions)});
}

// main's callees in that order, by the first letters of their names.
std::string callees_of_main(const std::string& keys, bool reversed = false) {
    CallersOptions options{Direction::kCallees, parse_order("cumulative"), {Matching{"main"}}, parse_order(keys), {}};
    options.edge_order.reversed = reversed;
    const std::string text = edges(test::sample(), 0, options);
    std::string out;
    for (const char* name : {"fib(int)", "parse<", "tiny()"}) CHECK(text.find(name) != std::string::npos);
    std::istringstream lines(text.substr(text.find("->")));
    for (std::string line; std::getline(lines, line);)
        for (const char* name : {"fib(int)", "parse<", "tiny()"})
            if (line.find(name) != std::string::npos) out += name[0];
    return out;
}

bool contains(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("callers and callees list each edge with its own figures") {
    CHECK(edges(Direction::kCallers, {Matching{"fib"}}) == R"(   Ordered by: cumulative time
   List reduced from 8 to 1 due to restriction <'fib'>

Function                 was called by...
                            ncalls tottime cumtime
src/fib.cpp:3(fib(int))  <-      1 10.00ms 70.00ms  src/main.cpp:10(main)
                               6/2 60.00ms 60.00ms  src/fib.cpp:3(fib(int))

   7 more functions not shown: 3115 calls, 685.9ms of internal time (90.7%); 'all' shows everything
)");
    CHECK(contains(edges(Direction::kCallers, {Matching{"main"}}), "<-      1 100.0ms 671.9ms  <not instrumented>\n"));
    CHECK(contains(edges(Direction::kCallees, {Matching{"worker"}}), R"(Function                          called...
                                     ncalls tottime cumtime
src/worker.cpp:30(worker(void*))  ->     10 30.00ms 30.00ms  src/b.cpp:7(helper(char const*))
                                          3 4.000ms 4.000ms  libgone.so+0x1a2b
)"));
    CHECK(contains(edges(Direction::kCallees, {Matching{"tiny"}}), "libtiny.so(tiny())  ->\n"));
}

TEST_CASE("the edges of a function have an order of their own") {
    CHECK(callees_of_main("cumulative") == "pft");
    CHECK(callees_of_main("calls") == "ptf");
    CHECK(callees_of_main("name") == "fpt");
    CHECK(callees_of_main("percall_cumtime") == "fpt");
    CHECK(callees_of_main("percall_tottime") == "fpt");
    CHECK(callees_of_main("file,line") == "tfp");
    CHECK(callees_of_main("stdname,calls") == "tfp");
    CHECK(callees_of_main("pcalls", true) == "ftp");
}

TEST_CASE("what a limit hides of a function's edges is weighed") {
    CallersOptions options{Direction::kCallees, parse_order("cumulative"), {Matching{"main"}}, {}, FirstRows{1}};
    CHECK(contains(edges(test::sample(), 0, options), R"(   Callees of each function limited to <1>

Function               called...
                          ncalls tottime cumtime
src/main.cpp:10(main)  ->   1000 500.0ms 501.9ms  src/parse.cpp:120()"));
    const std::string text = edges(test::sample(), 0, options);
    CHECK(contains(text, "\n                             101 10.00ms          2 more callees not shown\n"));
    options.edge_limit = FirstShare{0.5};
    CHECK(contains(edges(test::sample(), 0, options), "  1 more callee not shown\n"));
    options.edge_limit = FirstRows{0};
    CHECK(contains(edges(test::sample(), 0, options), "->   1101 510.0ms          3 more callees not shown\n"));
    options.direction = Direction::kCallers;
    options.restrictions = {Matching{"fib"}};
    options.edge_order = parse_order("calls");
    options.edge_limit = FirstRows{1};
    const std::string callers = edges(test::sample(), 0, options);
    CHECK(contains(callers, "   Callers ordered by: call count\n   Callers of each function limited to <1>\n"));
    CHECK(contains(callers, "<-    6/2 60.00ms 60.00ms  src/fib.cpp:3(fib(int))\n"));
    CHECK(contains(callers, "        1 10.00ms          1 more caller not shown\n"));
}

TEST_CASE("where a page has no room for two names each has a line, and no line is too long") {
    CHECK(contains(edges(Direction::kCallees, {Matching{"worker|main"}}, 60), R"(Function  called...
    ncalls tottime cumtime
src/main.cpp:10(main)  ->
      1000 500.0ms 501.9ms  parse.cpp:120(...::parse<...>(...))
         1 10.00ms 70.00ms  src/fib.cpp:3(fib(int))
       100  <1.0us  <1.0us  libtiny.so(tiny())
src/worker.cpp:30(worker(void*))  ->
        10 30.00ms 30.00ms  src/b.cpp:7(helper(char const*))
         3 4.000ms 4.000ms  libgone.so+0x1a2b
)"));
    for (const Direction direction : {Direction::kCallers, Direction::kCallees})
        for (size_t width = 64; width <= 240; ++width) {
            std::istringstream lines(edges(direction, {}, width));
            for (std::string line; std::getline(lines, line);) {
                CAPTURE(line);
                CHECK(columns(line) <= width);
            }
        }
}

TEST_CASE("callers of what no name matches are not an empty table") {
    const std::string text = edges(Direction::kCallers, {Matching{"wroker"}});
    CHECK(contains(text, "   No function matches 'wroker'; did you mean worker?\n"));
    CHECK_FALSE(contains(text, "was called by"));
}
