// Conditions on changes.
#include "report/budget.h"

#include "report/diff_cells.h"
#include "report/metric_figure.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace fnprof::report {
namespace {

using compare::kA;
using compare::kB;
using compare::Side;

[[noreturn]] void reject(const Condition& condition, std::string_view why) {
    throw UsageError(fmt::format("condition '{}': {}", printable(condition.text), why));
}

bool is_percentile(Metric metric) {
    return metric == Metric::kP50 || metric == Metric::kP90 || metric == Metric::kP99 || metric == Metric::kP999;
}

// Of the runs of a side that have one, the figures; and the mean.
struct SideFigures {
    std::vector<double> values;
    double mean = 0;
};

class Judge {
  public:
    explicit Judge(const DiffPage& diff) : diff_(diff) {
        for (const Side side : {kA, kB})
            for (const model::Profile& run : diff.comparison.runs.runs[side]) figures_[side].emplace_back(run, diff.comparison.raw);
    }

    JudgedCondition judge(const Condition& condition, Absent absent) const {
        if (!condition.is_signed && condition.value != 0)
            reject(condition, "diff looks at changes: write a sign, as in > +10% or > +2ms; for the figure itself use check-budget");
        JudgedCondition judged{condition, std::nullopt, std::nullopt, "-", false, ""};
        if (!condition.function.empty()) {
            judged.function = find_function(diff_.page.names, diff_.page.paths, condition.function, absent);
            if (!judged.function) judged.remark = "called in neither";
        }
        const SideFigures a = side_figures(kA, condition.metric, judged.function), b = side_figures(kB, condition.metric, judged.function);
        if (a.values.empty() || b.values.empty()) {
            if (judged.remark.empty()) judged.remark = fmt::format("no call of it has ended in {}", a.values.empty() ? "A" : "B");
            return judged;
        }
        const double change = b.mean - a.mean;
        judged.figure_text = change_text(condition, a.mean, b.mean);
        judged.figure = condition.unit == Unit::kPercent ? percent(a.mean, b.mean) : static_cast<long double>(change);
        if (change != 0 && !counts(condition.metric) && std::fabs(change) < static_cast<double>(resolution(condition.metric, judged.function))) {
            judged.remark = "less than can be measured";
            return judged;
        }
        judged.holds = holds(condition.relation, *judged.figure, condition.value);
        if (!judged.holds) return judged;
        // A count that is the same in each run is exact.
        const compare::Estimate estimate = estimate_of(condition.metric, judged.function, a, b);
        if (estimate.basis != compare::Basis::kNone && !estimate.distinguishable()) {
            judged.holds = false;
            judged.remark = fmt::format("within noise: 95% interval {} to {}", bound(condition.metric, estimate.interval.low()),
                                        bound(condition.metric, estimate.interval.high()));
        } else if (estimate.basis == compare::Basis::kNone && !counts(condition.metric)) {
            judged.remark = "one run a side: whether it is noise is not known";
        }
        return judged;
    }

  private:
    SideFigures side_figures(Side side, Metric metric, std::optional<model::FunctionId> function) const {
        SideFigures out;
        for (size_t run = 0; run < figures_[side].size(); ++run) {
            const auto figure = figure_of(diff_.comparison.runs.runs[side][run], figures_[side][run], function, metric);
            if (figure) out.values.push_back(static_cast<double>(figure->value));
        }
        out.mean = compare::sample_of(out.values).mean;
        return out;
    }

    uint64_t resolution(Metric metric, std::optional<model::FunctionId> function) const {
        if (metric == Metric::kTotal) return total_resolution(diff_);
        uint64_t coarsest = 0;
        for (const Side side : {kA, kB}) {
            const auto figure = figure_of(diff_.comparison.runs.total[side], diff_.figures[side], function, metric);
            const bool sum = metric == Metric::kSelf || metric == Metric::kCumulative;
            if (!figure) continue;
            coarsest = std::max(coarsest, figure->resolution_ps / (sum ? diff_.comparison.run_count(side) : 1));
            // Percentiles that are nearer to each other than a bucket is wide may be the same.
            if (is_percentile(metric)) coarsest = std::max(coarsest, static_cast<uint64_t>(figure->value) / model::kSubBuckets);
        }
        return coarsest;
    }

    // With one run a side: what the calls of each run say of the function's time.
    compare::Estimate from_calls(Metric metric, model::FunctionId function) const {
        std::array<compare::Sample, 2> samples;
        for (const Side side : {kA, kB}) {
            const model::Durations& durations = diff_.comparison.runs.total[side].stats[function].durations;
            if (durations.calls < 2) return {};
            const auto calls = static_cast<double>(durations.calls);
            const double deviation = durations.standard_deviation_ns() * 1e3;
            const double factor = metric == Metric::kCumulative ? calls : 1;
            samples[side] = {durations.calls, factor * durations.mean_ns() * 1e3, factor * factor * deviation * deviation * calls / (calls - 1)};
        }
        return {samples[kA].mean, samples[kB].mean, compare::Basis::kCalls, *compare::difference(samples[kA], samples[kB])};
    }

    compare::Estimate estimate_of(Metric metric, std::optional<model::FunctionId> function, const SideFigures& a, const SideFigures& b) const {
        if (diff_.comparison.run_count(kA) > 1 || diff_.comparison.run_count(kB) > 1) return compare::estimate(a.values, b.values);
        if (function && (metric == Metric::kCumulative || metric == Metric::kCumulativePerCall || metric == Metric::kMean))
            return from_calls(metric, *function);
        return {};
    }

    static long double percent(double a, double b) {
        if (a == b) return 0;
        if (a == 0) return b > 0 ? std::numeric_limits<long double>::infinity() : -std::numeric_limits<long double>::infinity();
        return 100 * (static_cast<long double>(b) - static_cast<long double>(a)) / std::fabs(static_cast<long double>(a));
    }

    static std::string bound(Metric metric, double value) {
        return counts(metric) ? fmt::format("{:+.1f}", value) : format_change(static_cast<Picoseconds>(value));
    }

    static std::string change_text(const Condition& condition, double a, double b) {
        const std::string change = counts(condition.metric) ? fmt::format("{:+.10g}", b - a) : format_change(static_cast<Picoseconds>(b - a));
        if (a == 0 && b == 0) return change;
        return a == 0 ? change + " (from 0)" : fmt::format("{} ({:+.1f}%)", change, percent(a, b));
    }

    const DiffPage& diff_;
    std::array<std::vector<Figures>, 2> figures_;
};

}  // namespace

std::vector<JudgedCondition> judge_changes(const DiffPage& diff, std::span<const Condition> conditions, Absent absent) {
    check_absent(conditions, absent);
    const Judge judge(diff);
    std::vector<JudgedCondition> out;
    for (const Condition& condition : conditions) out.push_back(judge.judge(condition, absent));
    return out;
}

}  // namespace fnprof::report
