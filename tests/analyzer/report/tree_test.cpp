#include "report/tree.h"
#include "report/folded_tree.h"
#include "sample_profile.h"

#include <doctest/doctest.h>

#include <sstream>

using namespace fnprof;
using namespace fnprof::report;

namespace {

Names letters() { return Names({{"a", "a", "m", "", 0}, {"b", "b", "m", "", 0}, {"c", "c", "m", "", 0}}); }

std::string tree_of(const model::Profile& profile, const Names& names, const TreeOptions& options) {
    const Figures figures(profile, false);
    const Page page{profile, names, figures, {}, 0, 0, false, {}};
    std::ostringstream out;
    print_tree(out, page, options);
    const std::string text = out.str();
    return text.substr(text.find("   Ordered by"));
}

}  // namespace

TEST_CASE("folding keeps every nanosecond and every call") {
    const test::Sample sample = test::sample();
    uint64_t calls = 0, self_ns = 0, roots_ns = 0;
    std::vector<uint64_t> below(fold_recursion(sample.profile).size());
    const std::vector<FoldedPath> nodes = fold_recursion(sample.profile);
    for (size_t i = nodes.size(); i-- > 0;) {
        calls += nodes[i].ncalls + nodes[i].recursive_calls;
        self_ns += nodes[i].cost.self_ns;
        CHECK(nodes[i].cost.cumulative_ns == nodes[i].cost.self_ns + below[i]);
        (nodes[i].parent == model::kNone ? roots_ns : below[nodes[i].parent]) += nodes[i].cost.cumulative_ns;
    }
    CHECK(calls == sample.profile.total_calls());
    CHECK(self_ns == sample.profile.total_self_ns());
    CHECK(roots_ns == self_ns);
}

TEST_CASE("bottom-up, each function has all its time, told apart by whoever asked for it") {
    // work(4,1) from main, work(1,4) by way of b: what edges alone must guess. Letters: a=0, b=1, c=2.
    const model::Profile profile = test::profile_of(3, {{model::kNone, 0, 1, 7}, {0, 1, 1, 5}, {0, 2, 3, 100}, {1, 2, 1, 400}});
    const std::vector<FoldedPath> nodes = invert(fold_recursion(profile));
    const auto node = [&](uint32_t parent, model::FunctionId function) {
        for (uint32_t i = 0; i < nodes.size(); ++i) {
            if (nodes[i].parent == parent && nodes[i].function == function) return i;
        }
        FAIL("no such node");
        return model::kNone;
    };
    CHECK(nodes.size() == 3 + 1 + 2 + 1);  // a; b, b<a; c, c<a, c<b, c<b<a
    const uint32_t c = node(model::kNone, 2);
    CHECK(nodes[c].ncalls == 4);
    CHECK(nodes[c].cost.cumulative_ns == 500);
    CHECK(nodes[node(c, 0)].cost.cumulative_ns == 100);
    CHECK(nodes[node(c, 0)].ncalls == 3);
    const uint32_t by_b = node(c, 1);
    CHECK(nodes[by_b].cost.cumulative_ns == 400);
    CHECK(nodes[node(by_b, 0)].cost.cumulative_ns == 400);
    CHECK(nodes[node(by_b, 0)].ncalls == 1);
    CHECK(nodes[node(model::kNone, 0)].cost.cumulative_ns == 7);
    uint64_t roots_ns = 0;
    for (const FoldedPath& path : invert(fold_recursion(test::sample().profile))) {
        if (path.parent == model::kNone) roots_ns += path.cost.cumulative_ns;
    }
    CHECK(roots_ns == test::sample().profile.total_self_ns());
}

TEST_CASE("the inverted tree puts callers under the function whose own time it is") {
    const model::Profile profile = test::profile_of(3, {{model::kNone, 0, 1, 7'000}, {0, 1, 1, 5'000}, {0, 2, 3, 100'000}, {1, 2, 1, 400'000}});
    const std::string text = tree_of(profile, letters(), {.restrictions = {}, .least_percent = 0, .inverted = true});
    CAPTURE(text);
    CHECK(text.starts_with("   Ordered by: internal time\n\n"
                           "   ncalls tottime self% function, then its callers\n"
                           "        4 500.0us  97.7 c\n"
                           "        1 400.0us  78.1   b\n"
                           "        1 400.0us  78.1     a\n"
                           "        3 100.0us  19.5   a\n"
                           "        1 7.000us   1.4 a\n"
                           "        1 5.000us   1.0 b\n"
                           "        1 5.000us   1.0   a\n"));
}

TEST_CASE("direct recursion is one row, a million frames deep") {
    std::vector<test::PathRow> rows{{model::kNone, 0, 1, 10}};
    constexpr uint32_t kDepth = 1'000'000;
    model::Profile profile = test::profile_of(2, rows);
    for (uint32_t i = 0; i < kDepth; ++i) profile.paths.push_back({i, 1, 1, {1, 0, 0, 0}});
    const std::vector<FoldedPath> nodes = fold_recursion(profile);
    REQUIRE(nodes.size() == 2);
    CHECK(nodes[1].ncalls == 1);
    CHECK(nodes[1].recursive_calls == kDepth - 1);
    CHECK(nodes[1].cost.cumulative_ns == kDepth);
}

TEST_CASE("mutual recursion folds into the outermost call") {
    // a>b>a>b>c and a>b>c are one path.
    const model::Profile profile = test::profile_of(3, {{model::kNone, 0, 1, 1'000'000},
                                                        {0, 1, 1, 1'000'000},
                                                        {1, 0, 1, 1'000'000},
                                                        {2, 1, 1, 1'000'000},
                                                        {3, 2, 5, 3'000'000},
                                                        {1, 2, 2, 2'000'000}});
    CHECK(tree_of(profile, letters(), {}) == R"(   Ordered by: cumulative time

   ncalls tottime cumtime  cum% call path
        1 2.000ms 9.000ms 100.0 a (rec x1)
        2 2.000ms 7.000ms  77.8   b
        7 5.000ms 5.000ms  55.6     c
)");
}

TEST_CASE("the tree hides light paths and says how many") {
    const test::Sample sample = test::sample();
    const std::string text = tree_of(sample.profile, sample.names, {{}, 1});
    CHECK(text.find("List reduced from 8 to 5 due to restriction <call paths under 1% of the time>") != std::string::npos);
    CHECK(text.find("3 more call paths not shown; 'all' shows everything") != std::string::npos);
    CHECK(text.find("        1 70.00ms 70.00ms  9.3   fib(int)  /home/user/app/src/fib.cpp:3 (rec x6)\n") !=
          std::string::npos);
}

TEST_CASE("a pattern keeps the paths through a function, its callers included") {
    const test::Sample sample = test::sample();
    const std::string text = tree_of(sample.profile, sample.names, {{Matching{"parse"}}, 0});
    CHECK(text.find("main  ") != std::string::npos);
    CHECK(text.find("    helper(char const*)  /home/user/app/src/a.cpp:7\n") != std::string::npos);
    CHECK(text.find("worker") == std::string::npos);
    CHECK(text.find("5 more call paths not shown") != std::string::npos);
}

TEST_CASE("a number keeps the heaviest paths") {
    const test::Sample sample = test::sample();
    const std::string text = tree_of(sample.profile, sample.names, {{FirstRows{2}}, 0});
    CHECK(text.find("parse<") != std::string::npos);
    CHECK(text.find("fib") == std::string::npos);
    CHECK(text.find("List reduced from 8 to 2 due to restriction <2>") != std::string::npos);
}

TEST_CASE("deep paths are numbered instead of being indented without end") {
    std::vector<test::PathRow> rows;
    std::vector<Name> names;
    constexpr uint32_t kDepth = 100;
    for (uint32_t i = 0; i < kDepth; ++i) {
        rows.push_back({i == 0 ? model::kNone : i - 1, i, 1, 1000});
        names.push_back({"f" + std::to_string(i), "", "", "", 0});
    }
    const model::Profile profile = test::profile_of(kDepth, rows);
    const std::string text = tree_of(profile, Names(names), {});
    CHECK(text.find(" " + std::string(80, ' ') + "f40\n") != std::string::npos);
    CHECK(text.find(" " + std::string(80, ' ') + "[99] f99\n") != std::string::npos);
}
