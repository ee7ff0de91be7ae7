#include <doctest/doctest.h>

#include <algorithm>
#include <set>

#include "call_tree.h"
#include "model/select_paths.h"
#include "slow_model_checks.h"

namespace fnprof::model::test {

namespace {

std::vector<bool> matching(std::initializer_list<FunctionId> functions) {
    std::vector<bool> matches(SlowProgram::kFunctions);
    for (const FunctionId function : functions) matches[function] = true;
    return matches;
}

std::vector<FunctionId> functions_on(const SlowProgram& program, size_t call) {
    std::vector<FunctionId> functions;
    for (const size_t one : program.stack(call)) functions.push_back(program.calls[one].function);
    return functions;
}

Seen whole(const SlowProgram& program, size_t call) {
    Seen seen{.path = functions_on(program, call), .counts = true, .duration = program.calls[call].duration_ns()};
    for (const auto& [from, to] : program.calls[call].parts) seen.self_ns += to - from;
    return seen;
}

bool matches_any(const std::vector<FunctionId>& path, const std::vector<bool>& matches) {
    return std::ranges::any_of(path, [&](FunctionId function) { return matches[function]; });
}

// main calls a twice and b once; each a calls b.
struct SmallTree : CallTree {
    SmallTree() : CallTree({.inner_ps = 2000, .outer_ps = 1000}) {
        call("main", [&] {
            tick(10);
            for (int i = 0; i < 2; ++i) {
                call("a", [&] {
                    tick(20);
                    call("b", [&] { tick(40); });
                });
            }
            call("b", [&] { tick(80); });
        });
    }
};

std::vector<bool> named(CallTree& tree, std::initializer_list<const char*> names) {
    std::vector<bool> matches(3);
    for (const char* name : names) matches[tree.id(name)] = true;
    return matches;
}

}  // namespace

TEST_CASE("focus keeps what is called through a match; what is above has no calls and no time of its own") {
    SmallTree tree;
    const Profile p = focus(tree.profile(), named(tree, {"a"}), "focus 'a'");
    CHECK(p.stats[tree.id("main")].ncalls == 0);
    CHECK(p.stats[tree.id("main")].cost.self_ns == 0);
    CHECK(p.stats[tree.id("main")].cost.cumulative_ns == 120);
    CHECK(p.stats[tree.id("a")].ncalls == 2);
    CHECK(p.stats[tree.id("a")].cost.self_ns == 40);
    CHECK(p.stats[tree.id("b")].ncalls == 2);
    CHECK(p.stats[tree.id("b")].cost.self_ns == 80);
    CHECK(p.paths.size() == 3);
    REQUIRE(p.reductions.size() == 1);
    CHECK(p.reductions[0].what == "focus 'a'");
    // 6 calls: 6 x 2 ns inside, 5 x 1 ns in callers.
    CHECK(p.reductions[0].before == Weight{6, 10 + 40 + 80 + 80, 17000});
    // main's share, the outer cost of its three calls, is not a's.
    CHECK(p.reductions[0].after == Weight{4, 120, 4 * 2000 + 2 * 1000});
}

TEST_CASE("ignore keeps the rest") {
    SmallTree tree;
    const Profile p = ignore(tree.profile(), named(tree, {"a"}), "ignore 'a'");
    CHECK(p.stats[tree.id("main")].ncalls == 1);
    CHECK(p.stats[tree.id("main")].cost.cumulative_ns == 90);
    CHECK(p.stats[tree.id("a")].ncalls == 0);
    CHECK(p.stats[tree.id("b")].ncalls == 1);
    CHECK(p.paths.size() == 2);
}

TEST_CASE("hide gives a function's time to its caller, and leaves out what has none") {
    SmallTree tree;
    const Profile all = tree.profile();
    const Profile p = hide(all, named(tree, {"a"}), "hide 'a'");
    CHECK(p.stats[tree.id("main")].cost.self_ns == 50);
    CHECK(p.stats[tree.id("main")].cost.cumulative_ns == 210);
    CHECK(p.stats[tree.id("b")].ncalls == 3);
    const Edge* edge = find_edge(p, tree.id("main"), tree.id("b"));
    REQUIRE(edge != nullptr);
    CHECK(edge->ncalls == 3);
    CHECK(p.edges.size() == 2);
    CHECK(p.reductions[0].folded == Weight{2, 40, 2 * 2000 + 2 * 1000});
    CHECK(p.reductions[0].after == Weight{4, 210, 17000});
    const Profile rootless = hide(all, named(tree, {"main"}), "hide 'main'");
    CHECK(rootless.reductions[0].after.self_ns == 200);
    CHECK(find_edge(rootless, kNone, tree.id("a"))->ncalls == 2);
}

TEST_CASE("show-from begins paths at their first match") {
    SmallTree tree;
    const Profile p = show_from(tree.profile(), named(tree, {"b"}), "show-from 'b'");
    CHECK(p.paths.size() == 1);
    CHECK(p.stats[tree.id("b")].ncalls == 3);
    CHECK(p.stats[tree.id("b")].cost.cumulative_ns == 160);
    CHECK(find_edge(p, kNone, tree.id("b"))->ncalls == 3);
}

TEST_CASE("histograms and instances stay where all calls are still there, and nowhere else") {
    SmallTree tree;
    const Profile all = tree.profile();
    const Profile p = focus(all, named(tree, {"a"}), "");
    CHECK(p.stats[tree.id("a")].distribution_known);
    CHECK(p.stats[tree.id("a")].histogram == all.stats[tree.id("a")].histogram);
    CHECK(p.stats[tree.id("a")].first.sum_ns == all.stats[tree.id("a")].first.sum_ns);
    REQUIRE(p.stats[tree.id("a")].slowest.size() == 2);
    CHECK(p.paths[p.stats[tree.id("a")].slowest[0].path].function == tree.id("a"));
    // Two of three calls.
    CHECK_FALSE(p.stats[tree.id("b")].distribution_known);
    CHECK(p.stats[tree.id("b")].histogram.empty());
    CHECK(p.stats[tree.id("b")].slowest.empty());
    CHECK(p.stats[tree.id("b")].durations.calls == 2);
    // All calls of the edge.
    CHECK(find_edge(p, tree.id("a"), tree.id("b"))->distribution_known);
    CHECK(find_edge(p, tree.id("a"), tree.id("b"))->histogram == find_edge(all, tree.id("a"), tree.id("b"))->histogram);
    const Profile hidden = hide(all, named(tree, {"a"}), "");
    CHECK(hidden.stats[tree.id("b")].histogram == all.stats[tree.id("b")].histogram);
    CHECK(find_edge(hidden, tree.id("main"), tree.id("b"))->histogram == all.stats[tree.id("b")].histogram);
}

TEST_CASE("where calls come from stays known as long as their caller does, and tells paths apart") {
    // f calls g from sites 0 and 1, each g calls h from site 2.
    Profile profile;
    profile.functions.resize(3);
    profile.call_sites.resize(3);
    const auto add = [&](PathId parent, FunctionId function, uint32_t site) {
        profile.paths.push_back({.parent = parent, .function = function, .ncalls = 1, .site = site});
        return static_cast<PathId>(profile.paths.size() - 1);
    };
    const PathId f = add(kNone, 0, kNone);
    add(add(f, 1, 0), 2, 2);
    add(add(f, 1, 1), 2, 2);
    derive_from_paths(profile);
    const auto sites = [](const Profile& p, FunctionId function) {
        std::vector<uint32_t> found;
        for (const CallPath& path : p.paths) {
            if (path.function == function) found.push_back(path.site);
        }
        return found;
    };
    CHECK(sites(focus(profile, {false, false, true}, ""), 1) == std::vector<uint32_t>{0, 1});
    CHECK(sites(hide(profile, {false, true, false}, ""), 2) == std::vector<uint32_t>{kNone});
    CHECK(sites(hide(profile, {false, false, true}, ""), 1) == std::vector<uint32_t>{0, 1});
    CHECK(sites(show_from(profile, {false, true, false}, ""), 1) == std::vector<uint32_t>{kNone});
    CHECK(sites(show_from(profile, {false, true, false}, ""), 2) == std::vector<uint32_t>{2});
    CHECK(sites(regroup(profile, {0, 0, 1}, 2), 0) == std::vector<uint32_t>{kNone, 0, 1});
}

TEST_CASE("every figure after a selection of paths is that of whole stacks looked at one by one") {
    for (unsigned seed = 1; seed <= 12; ++seed) {
        CAPTURE(seed);
        const SlowProgram program(seed);
        const Profile all = program.profile();
        const std::vector<bool> matches = matching({1, 4});
        check_same(all, SlowFigures(program, [&](size_t call) { return whole(program, call); }));
        check_same(focus(all, matches, ""), SlowFigures(program, [&](size_t call) {
                       return matches_any(functions_on(program, call), matches) ? whole(program, call) : Seen();
                   }));
        check_same(ignore(all, matches, ""), SlowFigures(program, [&](size_t call) {
                       return matches_any(functions_on(program, call), matches) ? Seen() : whole(program, call);
                   }));
        check_same(hide(all, matches, ""), SlowFigures(program, [&](size_t call) {
                       Seen seen = whole(program, call);
                       if (matches[seen.path.back()]) {
                           seen.counts = false;
                           seen.duration.reset();
                       }
                       std::erase_if(seen.path, [&](FunctionId function) { return matches[function]; });
                       return seen;
                   }));
        check_same(show_from(all, matches, ""), SlowFigures(program, [&](size_t call) {
                       Seen seen = whole(program, call);
                       const auto first = std::ranges::find_if(seen.path, [&](FunctionId function) { return matches[function]; });
                       seen.path.erase(seen.path.begin(), first);
                       return seen;
                   }));
        const std::vector<FunctionId> groups{0, 1, 1, 0, 2, 1};
        const Profile grouped = regroup(all, groups, 3);
        check_same(grouped, SlowFigures(program, [&](size_t call) {
                       Seen seen = whole(program, call);
                       for (FunctionId& function : seen.path) function = groups[function];
                       return seen;
                   }));
        Histogram both = all.stats[0].histogram;
        both.add(all.stats[3].histogram);
        CHECK(grouped.stats[0].histogram == both);
    }
}

TEST_CASE("focus and ignore of one pattern add up to everything, and hiding takes no time away under a caller") {
    for (unsigned seed = 20; seed <= 26; ++seed) {
        const SlowProgram program(seed);
        const Profile all = program.profile({.inner_ps = 500, .outer_ps = 300});
        const std::vector<bool> matches = matching({2});
        Weight sum = weight_of(focus(all, matches, ""));
        sum += weight_of(ignore(all, matches, ""));
        CHECK(sum == weight_of(all));
        uint64_t roots_ns = 0;
        for (const CallPath& path : all.paths) roots_ns += path.parent == kNone && matches[path.function] ? path.cost.self_ns : 0;
        // What is hidden directly under a hidden root is nobody's either.
        const Profile hidden = hide(all, matches, "");
        CHECK(weight_of(hidden).self_ns <= weight_of(all).self_ns - roots_ns);
        std::vector<bool> inner = matches;
        Profile rooted = show_from(all, matching({0, 1, 3, 4, 5}), "");
        CHECK(weight_of(hide(rooted, inner, "")).self_ns == weight_of(rooted).self_ns);
        CHECK(weight_of(hide(rooted, inner, "")).self_hook_ps == weight_of(rooted).self_hook_ps);
    }
}

TEST_CASE("a selection is made of what the one before has left, and says what that was") {
    const SlowProgram program(40);
    const Profile p = hide(focus(program.profile(), matching({1}), "focus 'x'"), matching({2}), "hide 'y'");
    REQUIRE(p.reductions.size() == 2);
    CHECK(p.reductions[0].after == p.reductions[1].before);
    CHECK(p.reductions[1].after == weight_of(p));
}

}  // namespace fnprof::model::test
