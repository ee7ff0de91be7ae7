#include <doctest/doctest.h>

#include "compare/change.h"
#include "runs.h"

namespace fnprof::compare::test {

namespace {

using model::Picoseconds;

constexpr Picoseconds kNs = 1000;

Comparison compared(const std::vector<Run>& a, const std::vector<Run>& b) { return compare(align(a, b), true); }

const FunctionChange& of(const Comparison& comparison, const std::string& name) { return comparison.functions[id_of(comparison.runs, name)]; }

void check_sums(const Comparison& comparison) {
    Picoseconds self = 0, explained = 0;
    for (const FunctionChange& function : comparison.functions) {
        self += function.self.change_ps();
        explained += function.explained.sum();
        for (const Parts& parts : {function.self, function.cumulative}) CHECK(parts.count_ps + parts.mix_ps + parts.per_call_ps == parts.change_ps());
    }
    CHECK(self == comparison.change_ps());
    CHECK(explained == comparison.change_ps());
}

void set_durations(Run& run, const std::string& name, const std::vector<uint64_t>& ns) {
    for (const uint64_t one : ns) run.profile.stats[number_of(run, name)].durations.add(one);
}

}  // namespace

TEST_CASE("a change of count at the old price, and of the price at the new count") {
    const Comparison it = compared({run_of({{"main", 1, 10}, {"main/f", 4, 400}})}, {run_of({{"main", 1, 10}, {"main/f", 6, 540}}, 2)});
    const Parts& self = of(it, "f").self;
    CHECK(self.change_ps() == 140 * kNs);
    CHECK(self.count_ps == 200 * kNs);     // 2 x 100
    CHECK(self.per_call_ps == -60 * kNs);  // 6 x (90 - 100)
    CHECK(self.mix_ps == 0);
    CHECK(of(it, "f").calls[kA].sum == 4);
    CHECK(of(it, "f").calls[kB].sum == 6);
    check_sums(it);
}

TEST_CASE("calls that move to a caller whose calls cost more are mix") {
    // From cheap 10 a call, from dear 100 a call; in B the dear ones 102.
    const Comparison it = compared({run_of({{"main", 1, 0}, {"main/cheap", 1, 0}, {"main/cheap/f", 6, 60}, {"main/dear", 1, 0}, {"main/dear/f", 2, 200}})},
                                   {run_of({{"main", 1, 0}, {"main/cheap", 1, 0}, {"main/cheap/f", 4, 40}, {"main/dear", 1, 0}, {"main/dear/f", 6, 612}}, 2)});
    const Parts& self = of(it, "f").self;
    CHECK(self.change_ps() == 392 * kNs);
    CHECK(self.count_ps == 65 * kNs);       // 2 x 260 / 8
    CHECK(self.mix_ps == 315 * kNs);        // 4 x 10 + 6 x 100 - 10 x 260 / 8
    CHECK(self.per_call_ps == 12 * kNs);    // 6 x 2
    CHECK(of(it, "f").cumulative.mix_ps == 315 * kNs);
    check_sums(it);
}

TEST_CASE("calls from a new caller are mix, unless all callers are new") {
    const Comparison some = compared({run_of({{"main", 1, 0}, {"main/f", 10, 100}})},
                                     {run_of({{"main", 1, 0}, {"main/f", 5, 50}, {"main/g", 1, 0}, {"main/g/f", 5, 250}}, 2)});
    CHECK(of(some, "f").self.mix_ps == 200 * kNs);
    CHECK(of(some, "f").self.per_call_ps == 0);
    const Comparison all = compared({run_of({{"main", 1, 0}, {"main/f", 10, 100}})}, {run_of({{"main", 1, 0}, {"main/g", 1, 0}, {"main/g/f", 10, 300}}, 2)});
    CHECK(of(all, "f").self.mix_ps == 0);
    CHECK(of(all, "f").self.per_call_ps == 200 * kNs);
    check_sums(some);
    check_sums(all);
}

TEST_CASE("of a function that is new or gone all is count") {
    const Comparison it = compared({run_of({{"main", 1, 0}, {"main/old", 3, 30}})}, {run_of({{"main", 1, 0}, {"main/new", 2, 50}}, 2)});
    CHECK(of(it, "old").self.count_ps == -30 * kNs);
    CHECK(of(it, "old").self.per_call_ps == 0);
    CHECK(of(it, "new").self.count_ps == 50 * kNs);
    CHECK_FALSE(of(it, "old").per_call);
    check_sums(it);
}

TEST_CASE("the cumulative time of a recursive function, which its callers' do not add up to, has no mix") {
    const std::vector<PathRow> rows{{"main", 1, 0}, {"main/fib", 2, 20}, {"main/fib/fib", 4, 40}};
    const Comparison it = compared({run_of(rows)}, {run_of(rows, 2)});
    CHECK(of(it, "fib").self.mix_known);
    CHECK_FALSE(of(it, "fib").cumulative.mix_known);
    CHECK(it.change_ps() == 0);
}

TEST_CASE("several runs stand for their mean, and what does not divide still adds up") {
    std::vector<Run> a, b;
    for (const uint64_t ns : {100u, 101u, 103u}) a.push_back(run_of({{"main", 1, ns}, {"main/f", 3, 2 * ns}, {"main/f/g", 7, ns / 3}}));
    for (const uint64_t ns : {90u, 97u}) b.push_back(run_of({{"main", 1, ns}, {"main/f", ns == 90 ? 3u : 4u, ns}, {"main/f/g", 5, ns}}, 2));
    const Comparison it = compared(a, b);
    CHECK(it.run_count(kA) == 3);
    CHECK(of(it, "f").calls[kA].constant);
    CHECK(of(it, "f").calls[kA].mean == 3);
    CHECK_FALSE(of(it, "f").calls[kB].constant);
    CHECK(of(it, "f").calls[kB].mean == 3.5);
    CHECK(of(it, "main").self.a_ps == 101'333);
    check_sums(it);
    CHECK(it.total.basis == Basis::kRuns);
}

TEST_CASE("with one run a side the calls' own scatter makes the interval") {
    Run a = run_of({{"f", 3, 0}}), b = run_of({{"f", 3, 0}}, 2);
    set_durations(a, "f", {10, 12, 14});
    set_durations(b, "f", {20, 22, 24});
    const auto per_call = of(compared({a}, {b}), "f").per_call;
    REQUIRE(per_call);
    CHECK(per_call->basis == Basis::kCalls);
    CHECK(per_call->a == 12);
    CHECK(per_call->b == 22);
    CHECK(per_call->interval.freedom == doctest::Approx(4));
    CHECK(per_call->interval.half_width == doctest::Approx(2.776445105 * 1.632993162).epsilon(1e-8));  // t(4) x sqrt(4/3 + 4/3)
    CHECK(per_call->distinguishable());
}

TEST_CASE("single calls have no interval; a run's mean against several runs has one") {
    Run a = run_of({{"f", 1, 0}}), b = run_of({{"f", 1, 0}}, 2);
    set_durations(a, "f", {10});
    set_durations(b, "f", {20});
    CHECK(of(compared({a}, {b}), "f").per_call->basis == Basis::kNone);
    Run again = run_of({{"f", 1, 0}});
    set_durations(again, "f", {14});
    const auto per_call = of(compared({a, again}, {b}), "f").per_call;
    CHECK(per_call->basis == Basis::kOneSide);
    CHECK(per_call->a == 12);
    CHECK(per_call->interval.freedom == 1);
}

TEST_CASE("runs of two builds on one side are one function each") {
    const Comparison it = compared({run_of({{"main", 1, 10}, {"main/f", 1, 1}}), run_of({{"main", 1, 20}, {"main/f", 1, 3}}, 3)},
                                   {run_of({{"main", 1, 10}, {"main/f", 1, 1}}, 2)});
    CHECK(it.functions.size() == 2);
    CHECK(of(it, "main").self.a_ps == 15 * kNs);
    check_sums(it);
}

}  // namespace fnprof::compare::test
