// What changed from A to B: of each function its calls and times, in parts that add up, and how sure the change of a call's time is.
//
// Figures are those of a run: with several runs their mean. With N calls of T time in A and N', T' in B, and C = T / N, the change of T is
//
//   count      (N' - N) x C                          as many calls more or less, each at A's price
//   mix        N' x sum over callers (s' - s) x c    calls moved between callers whose calls cost differently (s: a caller's share
//                                                    of the calls, c: what a call from it took in A)
//   per call   N' x sum over callers s' x (c' - c)   calls from the same caller take longer or shorter
//
// (Kitagawa's decomposition, also called Oaxaca and Blinder's, at A's prices and B's calls.) Calls from callers that A had not are at B's
// price in both, so what they change is mix; where no caller is common to both, mix cannot be told from per call and is 0. Of a function
// that is new or gone all is count. The last part is what the others leave, so that they add up exactly.
#pragma once

#include <optional>

#include "compare/align.h"
#include "compare/attribution.h"
#include "compare/interval.h"

namespace fnprof::compare {

struct Parts {
    model::Picoseconds a_ps = 0;
    model::Picoseconds b_ps = 0;
    model::Picoseconds count_ps = 0;
    model::Picoseconds mix_ps = 0;
    model::Picoseconds per_call_ps = 0;
    // Cumulative times of recursive functions are not the sums of their callers': mix is 0 and within per_call_ps.
    bool mix_known = true;
    model::Picoseconds change_ps() const { return b_ps - a_ps; }
};

// What an interval was made from.
enum class Basis {
    kNone,        // there is none: one run a side, and not two calls in each
    kRuns,        // the runs' means
    kOneSide,     // the runs of one side; the other has a single one
    kCalls,       // single runs: how much their calls differ. Calls of one run are not independent
};

struct Estimate {
    double a = 0;
    double b = 0;
    Basis basis = Basis::kNone;
    Interval interval = {};  // with a basis
    // It is more than chance, as far as anyone can tell from these runs.
    bool distinguishable() const { return basis != Basis::kNone && !interval.contains_zero(); }
};

struct Calls {
    uint64_t sum = 0;      // over the runs
    bool constant = true;  // the same in each run
    double mean = 0;
};

struct FunctionChange {
    std::array<Calls, 2> calls;
    Parts self;        // by callers, all calls
    Parts cumulative;  // by callers, primitive calls
    Effects explained;
    // Mean duration of a call, callees included, in nanoseconds (model/durations.h); nothing where one side has none.
    std::optional<Estimate> per_call;
};

struct Comparison {
    Aligned runs;
    bool raw = false;  // times as measured
    std::vector<FunctionChange> functions;  // by FunctionId
    std::array<model::Picoseconds, 2> total_ps{};  // of a run: the sum of self times
    std::array<double, 2> total_calls{};
    Estimate total;  // of the same, in nanoseconds

    // Invariant: sum of functions' self.change_ps() = sum of their explained = change_ps().
    model::Picoseconds change_ps() const { return total_ps[kB] - total_ps[kA]; }
    size_t run_count(Side side) const { return runs.runs[side].size(); }
};

Comparison compare(Aligned runs, bool raw);

// Of a figure of each run. No basis with one run a side.
Estimate estimate(std::span<const double> a, std::span<const double> b);

}  // namespace fnprof::compare
