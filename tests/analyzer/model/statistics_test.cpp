#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <random>

#include "call_tree.h"
#include "model/statistics.h"

namespace fnprof::model::test {

namespace {

void check_same(const Cost& cost, const ReferenceModel::Figures& truth) {
    CHECK(cost.self_ns == truth.self_ns);
    CHECK(cost.cumulative_ns == truth.cumulative_ns);
    CHECK(cost.self_hook_ps == truth.self_hook_ps);
    CHECK(cost.cumulative_hook_ps == truth.cumulative_hook_ps);
}

void check_same(const Durations& durations, const Histogram& histogram, const ReferenceModel::Figures& truth) {
    Durations sum;
    for (const uint64_t ns : truth.durations) sum.add(ns);
    CHECK(durations == sum);
    std::map<uint32_t, uint64_t> buckets;
    for (const uint64_t ns : truth.durations) ++buckets[bucket_of(ns)];
    std::vector<Histogram::Count> counts;
    for (const auto& [bucket, calls] : buckets) counts.push_back({bucket, calls});
    CHECK(histogram == Histogram(counts));
}

void check_against_reference(const Profile& profile, const ReferenceModel& reference) {
    REQUIRE(profile.stats.size() == reference.functions.size());
    for (const auto& [id, truth] : reference.functions) {
        const FunctionId function = id;
        CAPTURE(profile.functions[function].mangled);
        CHECK(profile.stats[function].ncalls == truth.ncalls);
        CHECK(profile.stats[function].primitive_calls == truth.primitive_calls);
        check_same(profile.stats[function].cost, truth);
        check_same(profile.stats[function].durations, profile.stats[function].histogram, truth);
        std::vector<uint64_t> longest = truth.durations;
        std::ranges::sort(longest, std::greater());
        longest.resize(std::min(longest.size(), kSlowestKept));
        std::vector<uint64_t> slowest;
        for (const CallInstance& call : profile.stats[function].slowest) slowest.push_back(call.duration_ns);
        CHECK(slowest == longest);
        CHECK(profile.stats[function].first.sum_ns == truth.first_ns);
    }
    REQUIRE(profile.edges.size() == reference.edges.size());
    for (const Edge& edge : profile.edges) {
        CAPTURE(edge.caller);
        CAPTURE(edge.callee);
        const ReferenceModel::Figures& truth = reference.edges.at({edge.caller, edge.callee});
        CHECK(edge.ncalls == truth.ncalls);
        CHECK(edge.primitive_calls == truth.primitive_calls);
        check_same(edge.cost, truth);
        check_same(edge.durations, edge.histogram, truth);
    }
}

void check_paths_add_up(const Profile& profile) {
    std::vector<Cost> children(profile.paths.size());
    uint64_t calls = 0;
    for (size_t i = 0; i < profile.paths.size(); ++i) {
        const CallPath& path = profile.paths[i];
        calls += path.ncalls;
        if (path.parent == kNone) continue;
        REQUIRE(path.parent < i);
        children[path.parent].cumulative_ns += path.cost.cumulative_ns;
        children[path.parent].cumulative_hook_ps += path.cost.cumulative_hook_ps;
    }
    CHECK(calls == profile.total_calls());
    for (size_t i = 0; i < profile.paths.size(); ++i) {
        const Cost& cost = profile.paths[i].cost;
        CHECK(cost.cumulative_ns == cost.self_ns + children[i].cumulative_ns);
        CHECK(cost.cumulative_hook_ps == cost.self_hook_ps + children[i].cumulative_hook_ps);
    }
}

}  // namespace

TEST_CASE("direct recursion counts time once: only the outermost call's") {
    CallTree t;
    t.call("main", [&] {
        t.tick(1);
        t.call("f", [&] {
            t.tick(2);
            t.call("f", [&] {
                t.tick(4);
                t.call("f", [&] { t.tick(8); });
            });
        });
        t.call("f", [&] { t.tick(16); });
    });
    const Profile p = t.profile();
    const FunctionStats& f = p.stats[t.id("f")];
    CHECK(f.ncalls == 4);
    CHECK(f.primitive_calls == 2);
    CHECK(f.cost.self_ns == 30);
    CHECK(f.cost.cumulative_ns == 30);
    CHECK(p.stats[t.id("main")].cost.cumulative_ns == 31);
    const Edge* again = find_edge(p, t.id("f"), t.id("f"));
    REQUIRE(again != nullptr);
    CHECK(again->ncalls == 2);
    CHECK(again->primitive_calls == 1);
    CHECK(again->cost.self_ns == 12);
    CHECK(again->cost.cumulative_ns == 12);
    check_against_reference(p, t.reference);
    check_paths_add_up(p);
}

TEST_CASE("mutual recursion counts each function's time once, and each edge's") {
    CallTree t;
    t.call("main", [&] {
        t.call("even", [&] {
            t.tick(1);
            t.call("odd", [&] {
                t.tick(10);
                t.call("even", [&] {
                    t.tick(100);
                    t.call("odd", [&] { t.tick(1000); });
                });
            });
        });
    });
    const Profile p = t.profile();
    CHECK(p.stats[t.id("even")].cost.cumulative_ns == 1111);
    CHECK(p.stats[t.id("odd")].cost.cumulative_ns == 1110);
    CHECK(p.stats[t.id("even")].cost.self_ns == 101);
    CHECK(p.stats[t.id("odd")].primitive_calls == 1);
    const Edge* edge = find_edge(p, t.id("even"), t.id("odd"));
    REQUIRE(edge != nullptr);
    CHECK(edge->ncalls == 2);
    CHECK(edge->primitive_calls == 1);
    CHECK(edge->cost.cumulative_ns == 1110);
    check_against_reference(p, t.reference);
    check_paths_add_up(p);
}

TEST_CASE("the same function's time is told apart by who asked for it") {
    // main calls a(4, 1) itself and a(1, 4) through b: tables of edges alone cannot tell which of them made c slow.
    CallTree t;
    const auto a = [&](uint64_t own, uint64_t below) {
        t.call("a", [&] {
            t.tick(own);
            t.call("c", [&] { t.tick(below); });
        });
    };
    t.call("main", [&] {
        a(4, 1);
        t.call("b", [&] { a(1, 4); });
    });
    const Profile p = t.profile();
    CHECK(p.stats[t.id("a")].cost.self_ns == 5);
    CHECK(p.stats[t.id("a")].cost.cumulative_ns == 10);
    CHECK(p.stats[t.id("c")].cost.self_ns == 5);
    const auto path = [&](std::vector<std::string> names) -> const CallPath& {
        PathId at = kNone;
        for (const std::string& name : names) {
            const auto found = std::ranges::find_if(p.paths, [&](const CallPath& candidate) {
                return candidate.parent == at && candidate.function == t.id(name);
            });
            REQUIRE(found != p.paths.end());
            at = static_cast<PathId>(found - p.paths.begin());
        }
        return p.paths[at];
    };
    CHECK(path({"main", "a"}).cost.self_ns == 4);
    CHECK(path({"main", "a", "c"}).cost.self_ns == 1);
    CHECK(path({"main", "b", "a"}).cost.self_ns == 1);
    CHECK(path({"main", "b", "a", "c"}).cost.self_ns == 4);
    CHECK(path({"main", "b"}).cost.cumulative_ns == 5);
    CHECK(p.paths.size() == 6);
}

TEST_CASE("the hooks' cost is that of a call in its caller and in itself, on every path") {
    CallTree t({.inner_ps = 9000, .outer_ps = 5000});
    t.call("main", [&] {
        t.call("f", [&] {
            t.tick(50);
            t.call("g", [&] { t.tick(9); });
            t.tick(5);
            t.call("g", [&] { t.tick(9); });
            t.tick(5);
        });
    });
    const Profile p = t.profile();
    const Cost& f = p.stats[t.id("f")].cost;
    CHECK(f.self_hook_ps == 9000 + 2 * 5000);
    CHECK(f.cumulative_hook_ps == 2 * 14000 + 9000);
    CHECK(f.self_net_ps() == 60000 - 19000);
    CHECK(f.cumulative_net_ps() == 78000 - 37000);
    CHECK(p.stats[t.id("g")].cost.self_net_ps() == 0);
    check_against_reference(p, t.reference);
    check_paths_add_up(p);
}

TEST_CASE("statistics read off the tree equal counting at each call, on random programs") {
    for (uint32_t seed = 1; seed <= 60; ++seed) {
        CAPTURE(seed);
        std::mt19937 random(seed);
        const uint64_t functions = 1 + random() % 9;
        CallTree t({.inner_ps = 900 + seed, .outer_ps = 1300 + 7 * seed});
        std::vector<std::string> active;
        for (int step = 0; step < 3000; ++step) {
            t.tick(random() % 50);
            const bool goes_down = active.empty() || (active.size() < 40 && random() % 100 < 52);
            if (goes_down) {
                active.push_back("f" + std::to_string(random() % functions));
                t.enter(active.back());
            } else {
                t.exit(active.back());
                active.pop_back();
            }
        }
        while (!active.empty()) {
            t.exit(active.back());
            active.pop_back();
        }
        const Profile p = t.profile();
        check_against_reference(p, t.reference);
        check_paths_add_up(p);
        CHECK(p.total_self_ns() == t.thread().busy_ns);
        CHECK(p.total_calls() == t.thread().ncalls);
    }
}

TEST_CASE("a call tree a million deep is ordinary input") {
    constexpr int kDepth = 1000000;
    TreeSink sink;
    CallStack<TreeSink> stack(sink, PathTree::kRoot, true);
    ThreadStack thread;
    uint64_t now = 0;
    for (int i = 0; i < kDepth; ++i) {
        stack.record(thread, format::Kind::kEnter, {.function = 0}, 4000000000u - static_cast<uint32_t>(i), ++now);
    }
    for (int i = kDepth; i-- > 0;) {
        stack.record(thread, format::Kind::kExit, {.function = 0}, 4000000000u - static_cast<uint32_t>(i), ++now);
    }
    Profile p;
    p.functions.push_back({kNone, 0, "rec"});
    derive_statistics(sink, p);
    CHECK(p.stats[0].ncalls == kDepth);
    CHECK(p.stats[0].primitive_calls == 1);
    CHECK(p.stats[0].cost.self_ns == 2 * kDepth - 1);
    CHECK(p.stats[0].cost.cumulative_ns == 2 * kDepth - 1);
    CHECK(p.edges.size() == 2);
    CHECK(p.paths.size() == kDepth);
}

}  // namespace fnprof::model::test
