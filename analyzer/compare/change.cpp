#include "compare/change.h"

#include <algorithm>
#include <map>

#include "compare/scaled.h"

namespace fnprof::compare {

namespace {

using model::FunctionId;
using model::Picoseconds;

// Means of integers that add up to the mean of their sum: what rounding takes from one it gives to the next.
class Means {
  public:
    explicit Means(size_t runs) : runs_(static_cast<Picoseconds>(runs)) {}
    Picoseconds next(Picoseconds sum) {
        so_far_ += sum;
        const Picoseconds before = given_;
        given_ = scaled(so_far_, 1, runs_);
        return given_ - before;
    }

  private:
    Picoseconds runs_;
    Picoseconds so_far_ = 0;
    Picoseconds given_ = 0;
};

// A caller's part in a function: calls in the common unit (x runs of the other side), time of a run.
struct Share {
    std::array<Picoseconds, 2> calls{};
    std::array<Picoseconds, 2> ps{};
};

struct Priced {
    std::array<Picoseconds, 2> calls{};  // of the function, in the common unit
    std::vector<Share> callers;
    bool callers_add_up = true;
};

void decompose(const Priced& function, Parts& parts) {
    const Picoseconds before = function.calls[kA], after = function.calls[kB], change = parts.change_ps();
    if (before == 0) {
        (after == 0 ? parts.per_call_ps : parts.count_ps) = change;
        return;
    }
    parts.count_ps = scaled(parts.a_ps, after - before, before);
    const bool comparable = std::ranges::any_of(function.callers, [](const Share& share) { return share.calls[kA] > 0 && share.calls[kB] > 0; });
    parts.mix_known = function.callers_add_up;
    if (comparable && function.callers_add_up && after > 0) {
        for (const Share& share : function.callers)
            parts.mix_ps += share.calls[kA] == 0 ? share.ps[kB] : scaled(share.ps[kA], share.calls[kB], share.calls[kA]);
        parts.mix_ps -= scaled(parts.a_ps, after, before);
    }
    parts.per_call_ps = change - parts.count_ps - parts.mix_ps;
}

class Builder {
  public:
    explicit Builder(Comparison& out) : out_(out) {
        for (const Side side : {kA, kB})
            for (const model::Edge& edge : total(side).edges) edges_[edge.callee][edge.caller][side] = &edge;
    }

    void fill() {
        out_.functions.resize(out_.runs.size());
        for (const Side side : {kA, kB}) {
            Means self(out_.run_count(side));
            for (FunctionId id = 0; id < out_.runs.size(); ++id) {
                const model::Cost& cost = total(side).stats[id].cost;
                FunctionChange& function = out_.functions[id];
                const Picoseconds mean = self.next(self_ps(cost, out_.raw));
                const Picoseconds cumulative = mean_of(side, cumulative_ps(cost, out_.raw));
                (side == kA ? function.self.a_ps : function.self.b_ps) = mean;
                (side == kA ? function.cumulative.a_ps : function.cumulative.b_ps) = cumulative;
                function.calls[side] = calls(side, id);
                out_.total_ps[side] += mean;
                out_.total_calls[side] += function.calls[side].mean;
            }
        }
        for (FunctionId id = 0; id < out_.runs.size(); ++id) {
            FunctionChange& function = out_.functions[id];
            decompose(priced(id, true), function.self);
            decompose(priced(id, false), function.cumulative);
            function.per_call = per_call(id);
        }
        explain();
        out_.total = estimate(totals(kA), totals(kB));
    }

  private:
    const model::Profile& total(Side side) const { return out_.runs.total[side]; }
    Picoseconds mean_of(Side side, Picoseconds sum) const { return scaled(sum, 1, static_cast<Picoseconds>(out_.run_count(side))); }
    Picoseconds in_common_unit(Side side, uint64_t calls) const { return Picoseconds{calls} * out_.run_count(side == kA ? kB : kA); }

    Calls calls(Side side, FunctionId id) const {
        Calls out{total(side).stats[id].ncalls, true, 0};
        for (const model::Profile& run : out_.runs.runs[side]) out.constant &= run.stats[id].ncalls == out_.runs.runs[side].front().stats[id].ncalls;
        out.mean = static_cast<double>(out.sum) / static_cast<double>(out_.run_count(side));
        return out;
    }

    Priced priced(FunctionId id, bool self) const {
        Priced out;
        std::array<model::Cost, 2> sum{};
        std::array<uint64_t, 2> calls{};
        const auto callers = edges_.find(id);
        if (callers != edges_.end()) {
            for (const auto& [caller, edges] : callers->second) {
                Share share;
                for (const Side side : {kA, kB}) {
                    if (edges[side] == nullptr) continue;
                    const model::Edge& edge = *edges[side];
                    const uint64_t edge_calls = self ? edge.ncalls : edge.primitive_calls;
                    share.calls[side] = in_common_unit(side, edge_calls);
                    share.ps[side] = mean_of(side, self ? self_ps(edge.cost, out_.raw) : cumulative_ps(edge.cost, out_.raw));
                    calls[side] += edge_calls;
                    sum[side].cumulative_ns += edge.cost.cumulative_ns;
                    sum[side].cumulative_hook_ps += edge.cost.cumulative_hook_ps;
                }
                out.callers.push_back(share);
            }
        }
        for (const Side side : {kA, kB}) {
            const model::FunctionStats& stats = total(side).stats[id];
            const uint64_t all = self ? stats.ncalls : stats.primitive_calls;
            out.calls[side] = in_common_unit(side, all);
            out.callers_add_up &= calls[side] == all && (self || (sum[side].cumulative_ns == stats.cost.cumulative_ns &&
                                                                 sum[side].cumulative_hook_ps == stats.cost.cumulative_hook_ps));
        }
        return out;
    }

    std::vector<double> means(Side side, FunctionId id) const {
        std::vector<double> out;
        for (const model::Profile& run : out_.runs.runs[side])
            if (run.stats[id].durations.calls > 0) out.push_back(run.stats[id].durations.mean_ns());
        return out;
    }

    static Sample sample_of_calls(const model::Durations& durations) {
        const auto calls = static_cast<double>(durations.calls);
        const double deviation = durations.standard_deviation_ns();
        return {durations.calls, durations.mean_ns(), durations.calls < 2 ? 0 : deviation * deviation * calls / (calls - 1)};
    }

    std::optional<Estimate> per_call(FunctionId id) const {
        const std::vector<double> a = means(kA, id), b = means(kB, id);
        if (a.empty() || b.empty()) return std::nullopt;
        Estimate result = estimate(a, b);
        if (out_.run_count(kA) > 1 || out_.run_count(kB) > 1) return result;
        const Sample calls_a = sample_of_calls(total(kA).stats[id].durations), calls_b = sample_of_calls(total(kB).stats[id].durations);
        if (calls_a.count < 2 || calls_b.count < 2) return result;
        result.interval = *difference(calls_a, calls_b);
        result.basis = Basis::kCalls;
        return result;
    }

    std::vector<double> totals(Side side) const {
        std::vector<double> out;
        for (const model::Profile& run : out_.runs.runs[side])
            out.push_back(out_.raw ? static_cast<double>(run.total_self_ns()) : static_cast<double>(run.total_net_ps()) / 1e3);
        return out;
    }

    void explain() {
        const std::vector<Effects> effects = attribute(out_.runs, out_.raw);
        Means means(out_.run_count(kA) * out_.run_count(kB));
        Picoseconds left = out_.change_ps();
        for (FunctionId id = 0; id < effects.size(); ++id) {
            out_.functions[id].explained = {means.next(effects[id].calls_ps), means.next(effects[id].own_ps)};
            left -= out_.functions[id].explained.sum();
        }
        // Rounding of the totals: 1 ps.
        if (left != 0 && !out_.functions.empty())
            std::ranges::max_element(out_.functions, {}, [](const FunctionChange& f) { return std::max(f.explained.own_ps, -f.explained.own_ps); })
                ->explained.own_ps += left;
    }

    Comparison& out_;
    std::map<FunctionId, std::map<FunctionId, std::array<const model::Edge*, 2>>> edges_;
};

}  // namespace

Estimate estimate(std::span<const double> a, std::span<const double> b) {
    const Sample sample_a = sample_of(a), sample_b = sample_of(b);
    Estimate out{sample_a.mean, sample_b.mean};
    if (const std::optional<Interval> interval = difference(sample_a, sample_b)) {
        out.interval = *interval;
        out.basis = a.size() > 1 && b.size() > 1 ? Basis::kRuns : Basis::kOneSide;
    }
    return out;
}

Comparison compare(Aligned runs, bool raw) {
    Comparison out;
    out.runs = std::move(runs);
    out.raw = raw;
    Builder(out).fill();
    return out;
}

}  // namespace fnprof::compare
