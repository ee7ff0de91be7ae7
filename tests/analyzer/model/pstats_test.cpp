// The figures of cProfile for a program whose calls and clock are those of the test program that CPython's profilers are checked with.
// The tree below is that program's, told in our own words; the figures are what pstats prints for it.
#include <doctest/doctest.h>

#include "call_tree.h"

namespace fnprof::model::test {

namespace {

// One tick is a millisecond of the profilee's fake clock.
class Profilee {
  public:
    void run() {
        t.call("testfunc", [&] {
            t.tick(99);
            helper();
            helper();
            t.tick(171);
            factorial(14);
        });
    }

    CallTree t;

  private:
    void factorial(uint64_t n) {
        t.call("factorial", [&] {
            if (n == 0) {
                t.tick(11);
                return;
            }
            t.tick(n);
            factorial(n - 1);
            t.call("mul", [&] { t.tick(1); });
        });
    }
    void helper() {
        t.call("helper", [&] {
            t.tick(1);
            helper1();
            t.tick(2);
            helper1();
            t.tick(6);
            helper2();
            t.tick(3);
            helper2();
            t.tick(2);
            helper2();
            t.tick(5);
            t.call("helper2_indirect", [&] {
                helper2();
                factorial(3);
            });
            t.tick(1);
        });
    }
    void helper1() {
        t.call("helper1", [&] {
            t.tick(10);
            t.call("hasattr", [&] { getattr(); });
            t.tick(19);
            t.call("append");
            t.call("exc_info");
        });
    }
    void helper2() {
        t.call("helper2", [&] {
            t.tick(11);
            t.call("hasattr", [&] { getattr(); });
            t.tick(13);
            t.call("subhelper", [&] {
                t.tick(2);
                for (int i = 0; i < 2; ++i) {
                    getattr();
                    t.tick(3);
                }
            });
            t.tick(15);
        });
    }
    void getattr() {
        t.call("__getattr__", [&] { t.tick(1); });
    }
};

struct Row {
    const char* name;
    uint64_t ncalls, primitive, tottime, cumtime;
};

struct CallerRow {
    const char* caller;
    const char* callee;
    uint64_t ncalls, primitive, tottime, cumtime;
};

}  // namespace

TEST_CASE("functions have the figures that pstats prints") {
    Profilee profilee;
    profilee.run();
    const Profile p = profilee.t.profile();
    const Row rows[] = {
        {"__getattr__", 28, 28, 28, 28}, {"testfunc", 1, 1, 270, 1000}, {"factorial", 23, 3, 150, 170},
        {"mul", 20, 20, 20, 20},         {"helper", 2, 2, 40, 600},     {"helper1", 4, 4, 116, 120},
        {"helper2_indirect", 2, 2, 0, 140}, {"helper2", 8, 8, 312, 400}, {"subhelper", 8, 8, 64, 80},
        {"hasattr", 12, 12, 0, 12},      {"append", 4, 4, 0, 0},        {"exc_info", 4, 4, 0, 0},
    };
    CHECK(p.functions.size() == std::size(rows));
    for (const Row& row : rows) {
        CAPTURE(row.name);
        const FunctionStats& stats = p.stats[profilee.t.id(row.name)];
        CHECK(stats.ncalls == row.ncalls);
        CHECK(stats.primitive_calls == row.primitive);
        CHECK(stats.cost.self_ns == row.tottime);
        CHECK(stats.cost.cumulative_ns == row.cumtime);
    }
    // cProfile's heading says 119 (99 primitive): three calls are its own, exec, the module's code and the one that stops it.
    CHECK(p.total_calls() == 116);
    CHECK(p.primitive_calls() == 96);
    CHECK(p.total_self_ns() == 1000);
}

TEST_CASE("callers have the figures that pstats prints, recursion judged per edge") {
    Profilee profilee;
    profilee.run();
    const Profile p = profilee.t.profile();
    const CallerRow rows[] = {
        {"subhelper", "__getattr__", 16, 16, 16, 16}, {"hasattr", "__getattr__", 12, 12, 12, 12},
        {"", "testfunc", 1, 1, 270, 1000},            {"testfunc", "factorial", 1, 1, 14, 130},
        {"factorial", "factorial", 20, 3, 130, 147},  {"helper2_indirect", "factorial", 2, 2, 6, 40},
        {"factorial", "mul", 20, 20, 20, 20},         {"testfunc", "helper", 2, 2, 40, 600},
        {"helper", "helper1", 4, 4, 116, 120},        {"helper", "helper2_indirect", 2, 2, 0, 140},
        {"helper", "helper2", 6, 6, 234, 300},        {"helper2_indirect", "helper2", 2, 2, 78, 100},
        {"helper2", "subhelper", 8, 8, 64, 80},       {"helper1", "hasattr", 4, 4, 0, 4},
        {"helper2", "hasattr", 8, 8, 0, 8},           {"helper1", "append", 4, 4, 0, 0},
        {"helper1", "exc_info", 4, 4, 0, 0},
    };
    CHECK(p.edges.size() == std::size(rows));
    for (const CallerRow& row : rows) {
        CAPTURE(row.caller);
        CAPTURE(row.callee);
        const Edge* edge = find_edge(p, *row.caller == 0 ? kNone : profilee.t.id(row.caller), profilee.t.id(row.callee));
        REQUIRE(edge != nullptr);
        CHECK(edge->ncalls == row.ncalls);
        CHECK(edge->primitive_calls == row.primitive);
        CHECK(edge->cost.self_ns == row.tottime);
        CHECK(edge->cost.cumulative_ns == row.cumtime);
    }
}

}  // namespace fnprof::model::test
