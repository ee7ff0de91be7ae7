#include <doctest/doctest.h>

#include <algorithm>
#include <random>

#include "compare/attribution.h"
#include "runs.h"

namespace fnprof::compare::test {

namespace {

struct Attributed {
    Aligned runs;
    std::vector<Effects> effects;
    // In nanoseconds; runs of one a side.
    int64_t calls(const std::string& name) const { return static_cast<int64_t>(effects[id_of(runs, name)].calls_ps / 1000); }
    int64_t own(const std::string& name) const { return static_cast<int64_t>(effects[id_of(runs, name)].own_ps / 1000); }
};

model::Picoseconds sum(const std::vector<Effects>& effects) {
    model::Picoseconds total = 0;
    for (const Effects& one : effects) total += one.sum();
    return total;
}

Attributed attributed(const std::vector<PathRow>& a, const std::vector<PathRow>& b) {
    const Run run_a = run_of(a), run_b = run_of(b, 2);
    Attributed out{align({&run_a, 1}, {&run_b, 1}), {}};
    out.effects = attribute(out.runs, true);
    const auto change = static_cast<int64_t>(run_b.profile.total_self_ns()) - static_cast<int64_t>(run_a.profile.total_self_ns());
    CHECK(sum(out.effects) == model::Picoseconds{change} * 1000);
    return out;
}

}  // namespace

TEST_CASE("fewer calls explain what each of them took with all below, and longer calls what is left: the header's example") {
    const Attributed it = attributed({{"main", 1, 7}, {"main/load", 2, 20}, {"main/load/parse", 10, 20}},
                                     {{"main", 1, 7}, {"main/load", 1, 10}, {"main/load/parse", 5, 15}});
    CHECK(it.calls("load") == -20);
    CHECK(it.own("load") == 0);
    CHECK(it.calls("parse") == 0);
    CHECK(it.own("parse") == 5);
    CHECK(it.calls("main") == 0);
    CHECK(it.own("main") == 0);
}

TEST_CASE("more calls for each call of the caller are explained by the callee") {
    const Attributed it = attributed({{"main", 1, 0}, {"main/f", 4, 40}, {"main/f/g", 4, 8}}, {{"main", 1, 0}, {"main/f", 8, 80}, {"main/f/g", 16, 32}});
    CHECK(it.calls("f") == 48);
    CHECK(it.calls("g") == 16);
}

TEST_CASE("what one side alone has is explained at its top") {
    const Attributed gone = attributed({{"main", 1, 5}, {"main/load", 3, 30}, {"main/load/parse", 9, 90}}, {{"main", 1, 6}});
    CHECK(gone.calls("load") == -120);
    CHECK(gone.calls("parse") == 0);
    CHECK(gone.own("main") == 1);
    const Attributed fresh = attributed({{"main", 1, 6}}, {{"main", 1, 5}, {"main/load", 3, 30}, {"main/load/parse", 9, 90}});
    CHECK(fresh.calls("load") == 120);
    CHECK(fresh.own("main") == -1);
}

TEST_CASE("a wrapper that comes or goes explains its own time; what it calls goes on") {
    const std::vector<PathRow> direct{{"main", 1, 5}, {"main/load", 10, 100}, {"main/load/parse", 20, 60}};
    const std::vector<PathRow> wrapped{{"main", 1, 5}, {"main/wrap", 10, 7}, {"main/wrap/load", 10, 100}, {"main/wrap/load/parse", 20, 80}};
    const Attributed comes = attributed(direct, wrapped);
    CHECK(comes.own("wrap") == 7);
    CHECK(comes.calls("load") == 0);
    CHECK(comes.own("parse") == 20);
    const Attributed goes = attributed(wrapped, direct);
    CHECK(goes.own("wrap") == -7);
    CHECK(goes.calls("load") == 0);
    CHECK(goes.own("parse") == -20);
}

TEST_CASE("two wrappers of different names are each looked through") {
    const Attributed it = attributed({{"main", 1, 5}, {"main/old", 10, 7}, {"main/old/load", 10, 100}}, {{"main", 1, 5}, {"main/new", 10, 9}, {"main/new/load", 5, 50}});
    CHECK(it.own("old") == -7);
    CHECK(it.own("new") == 9);
    CHECK(it.calls("load") == -50);
}

TEST_CASE("deeper recursion is explained by the function that recurses") {
    const Attributed it = attributed({{"main", 1, 0}, {"main/fib", 1, 10}, {"main/fib/fib", 2, 20}},
                                     {{"main", 1, 0}, {"main/fib", 1, 10}, {"main/fib/fib", 2, 20}, {"main/fib/fib/fib", 4, 40}});
    CHECK(it.calls("fib") == 40);
}

TEST_CASE("a chain of a hundred thousand calls is walked without recursion") {
    std::vector<PathRow> rows{{"r", 1, 1}};
    Run run = run_of(rows);
    for (model::PathId i = 0; i < 100'000; ++i) run.profile.paths.push_back({i, 0, 1, {0, 0, 0, 0}, {}});
    Run other = run;
    other.profile.paths[0].cost = {3, 3, 0, 0};
    const Aligned runs = align({&run, 1}, {&other, 1});
    CHECK(sum(attribute(runs, true)) == 2000);
}

TEST_CASE("whatever two programs are, the pieces sum up to the difference") {
    std::mt19937 random(7);
    const auto tree = [&] {
        std::vector<PathRow> rows;
        const auto below = [&](auto&& self, const std::string& path, int depth) -> void {
            rows.push_back({path, random() % 5, random() % 1000});
            if (depth == 0) return;
            for (const char* name : {"/a", "/b", "/c", "/d", "/e"})
                if (random() % 3 == 0) self(self, path + name + (random() % 4 == 0 ? std::to_string(random() % 3) : ""), depth - 1);
        };
        below(below, "main", 4);
        std::ranges::sort(rows, {}, &PathRow::path);
        const auto again = std::ranges::unique(rows, {}, &PathRow::path);
        rows.erase(again.begin(), again.end());
        return rows;
    };
    for (int i = 0; i < 300; ++i) attributed(tree(), tree());
}

}  // namespace fnprof::compare::test
