// The program that CPython's profilers are tested with, told as a trace whose clock ticks once a millisecond: what the tool prints of it is held
// against the figures that those tests expect. Its calls and ticks are told in our own words.
#include "tool.h"

#include <doctest/doctest.h>

#include <functional>
#include <map>
#include <sstream>
#include <vector>

using namespace fnprof::cli::test;
using namespace fnprof::testing;
using fnprof::format::Slot;

namespace {

class Profilee {
  public:
    Profilee() {
        call("testfunc", [this] {
            tick(99);
            helper();
            helper();
            tick(171);
            factorial(14);
        });
    }

    void write(const std::string& path) const {
        TraceBuilder trace;
        trace.process_item.flags = fnprof::format::kMarksOn;
        trace.process("/opt/profilee", {"profilee"}).clock_pair(0, 0).clock_pair(2'000'000'000, 2'000'000'000);
        trace.clock(fnprof::format::ClockKind::kMonotonicNs, 1000).hook_cost(0, 0);
        trace.module(1, "/opt/profilee", kCode, kCode, kCode + 0x10000).metadata_block();
        trace.records(1, slots_);
        std::vector<NameSpec> names;
        for (const auto& [name, address] : addresses_) names.push_back({address - kCode, 16, name});
        trace.thread(1, 100, "profilee").names(1, names).end(now_).metadata_block();
        trace.write_file(path);
    }

  private:
    static constexpr uint64_t kCode = 0x10000;
    static constexpr uint64_t kTickNs = 1'000'000;

    void tick(uint64_t ticks) { now_ += ticks * kTickNs; }

    void call(const std::string& name, const std::function<void()>& body = [] {}) {
        const uint64_t function = addresses_.try_emplace(name, kCode + 0x100 + 0x100 * addresses_.size()).first->second;
        const uint64_t site = active_.empty() ? 0x50 : active_.back() + 8;
        const uint64_t stack = 0x70000 - 0x40 * active_.size();
        slots_.push_back(enter(function, site, stack, now_));
        active_.push_back(function);
        body();
        active_.pop_back();
        slots_.push_back(exit(function, site, stack, now_));
    }
    void factorial(uint64_t n) {
        call("factorial", [this, n] {
            if (n == 0) return tick(11);
            tick(n);
            factorial(n - 1);
            call("mul", [this] { tick(1); });
        });
    }
    void getattr() {
        call("__getattr__", [this] { tick(1); });
    }
    void helper() {
        call("helper", [this] {
            tick(1);
            helper1();
            tick(2);
            helper1();
            tick(6);
            helper2();
            tick(3);
            helper2();
            tick(2);
            helper2();
            tick(5);
            call("helper2_indirect", [this] {
                helper2();
                factorial(3);
            });
            tick(1);
        });
    }
    void helper1() {
        call("helper1", [this] {
            tick(10);
            call("hasattr", [this] { getattr(); });
            tick(19);
            call("append");
            call("exc_info");
        });
    }
    void helper2() {
        call("helper2", [this] {
            tick(11);
            call("hasattr", [this] { getattr(); });
            tick(13);
            call("subhelper", [this] {
                tick(2);
                for (int i = 0; i < 2; ++i) {
                    getattr();
                    tick(3);
                }
            });
            tick(15);
        });
    }

    uint64_t now_ = kTickNs;
    std::vector<uint64_t> active_;
    std::vector<Slot> slots_;
    std::map<std::string, uint64_t> addresses_;
};

// What stands below the line that names the order.
std::string below_order(const Desk& desk, const std::string& arguments) {
    const std::string text = desk.analyze(arguments).out;
    return text.substr(text.find("   Ordered by"));
}

// The functions of a table in pstats' form, in its order.
std::string functions_by(const Desk& desk, const std::string& keys) {
    std::istringstream lines(below_order(desk, "--pstats all -s " + keys));
    std::string names;
    for (std::string line; std::getline(lines, line);)
        if (const size_t open = line.find("profilee("); open != std::string::npos)
            names += (names.empty() ? "" : " ") + line.substr(open + 9, line.size() - open - 10);
    return names;
}

}  // namespace

TEST_CASE("the table of CPython's test program has the figures that CPython expects") {
    const Desk desk;
    Profilee().write(desk.file("trace.zst"));
    // CPython's heading counts three calls more, those of the profiler itself.
    CHECK(desk.analyze("--pstats").out.starts_with("         116 function calls (96 primitive calls) in 1.000 seconds\n"));
    CHECK(below_order(desk, "--pstats -s cumulative,name") == R"(   Ordered by: cumulative time, function name

   ncalls  tottime  percall  cumtime  percall filename:lineno(function)
        1    0.270    0.270    1.000    1.000 profilee(testfunc)
        2    0.040    0.020    0.600    0.300 profilee(helper)
        8    0.312    0.039    0.400    0.050 profilee(helper2)
     23/3    0.150    0.007    0.170    0.057 profilee(factorial)
        2    0.000    0.000    0.140    0.070 profilee(helper2_indirect)
        4    0.116    0.029    0.120    0.030 profilee(helper1)
        8    0.064    0.008    0.080    0.010 profilee(subhelper)
       28    0.028    0.001    0.028    0.001 profilee(__getattr__)
       20    0.020    0.001    0.020    0.001 profilee(mul)
       12    0.000    0.000    0.012    0.001 profilee(hasattr)
        4    0.000    0.000    0.000    0.000 profilee(append)
        4    0.000    0.000    0.000    0.000 profilee(exc_info)

)");
}

TEST_CASE("every sort key orders CPython's test program as it should, with tie-breakers and reversed") {
    const Desk desk;
    Profilee().write(desk.file("trace.zst"));
    const std::string by_name =
        "__getattr__ append exc_info factorial hasattr helper helper1 helper2 helper2_indirect mul subhelper testfunc";
    for (const char* keys : {"name", "nfl", "stdname", "file,line,name", "module,stdname"}) CHECK(functions_by(desk, keys) == by_name);
    CHECK(functions_by(desk, "calls,name") ==
          "__getattr__ factorial mul hasattr helper2 subhelper append exc_info helper1 helper helper2_indirect testfunc");
    CHECK(functions_by(desk, "ncalls,cumtime,name") ==
          "__getattr__ factorial mul hasattr helper2 subhelper helper1 append exc_info helper helper2_indirect testfunc");
    CHECK(functions_by(desk, "pcalls,tottime,name") ==
          "__getattr__ mul hasattr helper2 subhelper helper1 append exc_info factorial helper helper2_indirect testfunc");
    CHECK(functions_by(desk, "tottime,calls,name") ==
          "helper2 testfunc factorial helper1 subhelper helper __getattr__ mul hasattr append exc_info helper2_indirect");
    CHECK(functions_by(desk, "time,name -r") ==
          "helper2_indirect hasattr exc_info append mul __getattr__ helper subhelper helper1 factorial testfunc helper2");
    CHECK(functions_by(desk, "percall_tottime,name") ==
          "testfunc helper2 helper1 helper subhelper factorial __getattr__ mul append exc_info hasattr helper2_indirect");
    CHECK(functions_by(desk, "percall_cumtime,name") ==
          "testfunc helper helper2_indirect factorial helper2 helper1 subhelper __getattr__ hasattr mul append exc_info");
}

TEST_CASE("callers and callees of CPython's test program have the figures that CPython expects") {
    const Desk desk;
    Profilee().write(desk.file("trace.zst"));
    CHECK(below_order(desk, "callers all -s name --edge-sort name") == R"(   Ordered by: function name
   Callers ordered by: function name

Function                    was called by...
                               ncalls tottime cumtime
profilee(__getattr__)       <-     12 12.00ms 12.00ms  profilee(hasattr)
                                   16 16.00ms 16.00ms  profilee(subhelper)
profilee(append)            <-      4  <1.0ns  <1.0ns  profilee(helper1)
profilee(exc_info)          <-      4  <1.0ns  <1.0ns  profilee(helper1)
profilee(factorial)         <-   20/3 130.0ms 147.0ms  profilee(factorial)
                                    2 6.000ms 40.00ms  profilee(helper2_indirect)
                                    1 14.00ms 130.0ms  profilee(testfunc)
profilee(hasattr)           <-      4  <1.0ns 4.000ms  profilee(helper1)
                                    8  <1.0ns 8.000ms  profilee(helper2)
profilee(helper)            <-      2 40.00ms 600.0ms  profilee(testfunc)
profilee(helper1)           <-      4 116.0ms 120.0ms  profilee(helper)
profilee(helper2)           <-      6 234.0ms 300.0ms  profilee(helper)
                                    2 78.00ms 100.0ms  profilee(helper2_indirect)
profilee(helper2_indirect)  <-      2  <1.0ns 140.0ms  profilee(helper)
profilee(mul)               <-     20 20.00ms 20.00ms  profilee(factorial)
profilee(subhelper)         <-      8 64.00ms 80.00ms  profilee(helper2)
profilee(testfunc)          <-      1 270.0ms  1.000s  <not instrumented>
)");
    CHECK(below_order(desk, "callees all -s name") == R"(   Ordered by: function name

Function                    called...
                               ncalls tottime cumtime
profilee(__getattr__)       ->
profilee(append)            ->
profilee(exc_info)          ->
profilee(factorial)         ->   20/3 130.0ms 147.0ms  profilee(factorial)
                                   20 20.00ms 20.00ms  profilee(mul)
profilee(hasattr)           ->     12 12.00ms 12.00ms  profilee(__getattr__)
profilee(helper)            ->      6 234.0ms 300.0ms  profilee(helper2)
                                    2  <1.0ns 140.0ms  profilee(helper2_indirect)
                                    4 116.0ms 120.0ms  profilee(helper1)
profilee(helper1)           ->      4  <1.0ns 4.000ms  profilee(hasattr)
                                    4  <1.0ns  <1.0ns  profilee(append)
                                    4  <1.0ns  <1.0ns  profilee(exc_info)
profilee(helper2)           ->      8 64.00ms 80.00ms  profilee(subhelper)
                                    8  <1.0ns 8.000ms  profilee(hasattr)
profilee(helper2_indirect)  ->      2 78.00ms 100.0ms  profilee(helper2)
                                    2 6.000ms 40.00ms  profilee(factorial)
profilee(mul)               ->
profilee(subhelper)         ->     16 16.00ms 16.00ms  profilee(__getattr__)
profilee(testfunc)          ->      2 40.00ms 600.0ms  profilee(helper)
                                    1 14.00ms 130.0ms  profilee(factorial)
)");
}
