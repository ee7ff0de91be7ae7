#include "report/metric_figure.h"

#include <fmt/format.h>

namespace fnprof::report {
namespace {

MetricFigure of_amount(Amount amount) { return {static_cast<long double>(amount.ps), amount.resolution_ps}; }

std::optional<MetricFigure> of_durations(const model::FunctionStats& stats, Metric metric, uint64_t resolution_ps) {
    if (stats.durations.calls == 0) return std::nullopt;
    const auto percentile = [&](unsigned permille) { return static_cast<long double>(percentile_ns(stats.durations, stats.histogram, permille)); };
    const auto ns = [&]() -> long double {
        switch (metric) {
            case Metric::kMean:
                return stats.durations.mean_ns();
            case Metric::kLeast:
                return static_cast<long double>(stats.durations.least_ns);
            case Metric::kP50:
                return percentile(500);
            case Metric::kP90:
                return percentile(900);
            case Metric::kP99:
                return percentile(990);
            case Metric::kP999:
                return percentile(999);
            case Metric::kMost:
                return static_cast<long double>(stats.durations.most_ns);
            default:
                return stats.durations.standard_deviation_ns();
        }
    };
    return MetricFigure{ns() * 1000, resolution_ps};
}

}  // namespace

std::optional<MetricFigure> figure_of(const model::Profile& profile, const Figures& figures, std::optional<model::FunctionId> function, Metric metric) {
    if (metric == Metric::kTotalCalls) return MetricFigure{static_cast<long double>(profile.total_calls())};
    if (metric == Metric::kTotal) return of_amount(figures.total());
    if (!function) return counts(metric) ? std::optional(MetricFigure{}) : std::nullopt;
    const model::FunctionStats& stats = profile.stats[*function];
    switch (metric) {
        case Metric::kCalls:
            return MetricFigure{static_cast<long double>(stats.ncalls)};
        case Metric::kPrimitiveCalls:
            return MetricFigure{static_cast<long double>(stats.primitive_calls)};
        case Metric::kSelf:
            return of_amount(figures.self(stats.cost));
        case Metric::kCumulative:
            return of_amount(figures.cumulative(stats.cost));
        case Metric::kSelfPerCall:
            if (stats.ncalls == 0) return std::nullopt;
            return of_amount(Figures::per_call(figures.self(stats.cost), stats.ncalls));
        case Metric::kCumulativePerCall:
            if (stats.primitive_calls == 0) return std::nullopt;
            return of_amount(Figures::per_call(figures.cumulative(stats.cost), stats.primitive_calls));
        case Metric::kFirst:
            if (stats.first.processes == 0) return std::nullopt;
            return MetricFigure{static_cast<long double>(stats.first.sum_ns) * 1000 / static_cast<long double>(stats.first.processes),
                                figures.clock_step_ps()};
        default:
            return of_durations(stats, metric, figures.clock_step_ps());
    }
}

std::string figure_text(Metric metric, const MetricFigure& figure) {
    if (counts(metric)) return fmt::format("{:.0f}", figure.value);
    return format_time(static_cast<Picoseconds>(figure.value), figure.resolution_ps);
}

}  // namespace fnprof::report
