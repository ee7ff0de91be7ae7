// The first line of a comparison.
#include "report/diff.h"

#include "report/diff_cells.h"
#include "report/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace fnprof::report {
namespace {

using compare::kA;
using compare::kB;

// Functions are named until what they explain together is as near to the difference, or there are so many of them. One alone can
// explain more than there is, when another one works against it.
constexpr double kNear = 0.1;
constexpr size_t kMostNamed = 3;
// Who explains less than this is not worth a place in a sentence.
constexpr double kWorthNaming = 0.05;

Picoseconds size_of(Picoseconds ps) { return ps < 0 ? -ps : ps; }

// Without parameters, unless another function is called the same.
std::string short_name(const DiffPage& diff, model::FunctionId id) {
    const Names& names = diff.page.names;
    const std::string name = qualified_name(names[id].name);
    for (model::FunctionId other = 0; other < names.size(); ++other)
        if (other != id && qualified_name(names[other].name) == name) return diff.page.names.label(id, diff.page.paths);
    return printable(name);
}

std::string reason(const DiffPage& diff, model::FunctionId id) {
    const compare::FunctionChange& function = diff.comparison.functions[id];
    if (function.calls[kA].sum == 0) return "new in B, " + calls_text(function) + " calls";
    if (function.calls[kB].sum == 0) return "not called in B, calls " + calls_text(function);
    if (size_of(function.explained.calls_ps) >= size_of(function.explained.own_ps)) {
        const std::string calls = calls_text(function);
        return calls.find(' ') == std::string::npos ? "the same calls from other callers" : "calls " + calls;
    }
    const auto own = [&](compare::Side side) {
        const model::FunctionStats& stats = diff.comparison.runs.total[side].stats[id];
        return format_amount(Figures::per_call(diff.figures[side].self(stats.cost), stats.ncalls));
    };
    return fmt::format("own time {} -> {} a call", own(kA), own(kB));
}

std::string explanation(const DiffPage& diff) {
    const double change = static_cast<double>(diff.comparison.change_ps());
    std::string text;
    double explained = 0;
    size_t named = 0;
    for (const model::FunctionId id : sorted_changes(diff, {})) {
        const double share = static_cast<double>(diff.comparison.functions[id].explained.sum()) / change;
        if (named == kMostNamed || std::abs(1 - explained) <= kNear || std::abs(share) < kWorthNaming) break;
        text += fmt::format("{}{} {}{:.1f}%{} ({})", named == 0 ? "" : ", ", short_name(diff, id), named == 0 ? "explains " : "", 100 * share,
                            named == 0 ? " of it" : "", reason(diff, id));
        explained += share;
        ++named;
    }
    return named == 0 ? "no function explains more than 5% of it" : text;
}

}  // namespace

std::string verdict(const DiffPage& diff) {
    const compare::Comparison& comparison = diff.comparison;
    const Picoseconds change = comparison.change_ps();
    if (change == 0) return "B takes as long as A";
    const uint64_t resolution = total_resolution(diff);
    if (size_of(change) < Picoseconds{resolution})
        return fmt::format("B takes as long as A: they differ by {}, less than can be measured", format_time(0, resolution));
    const std::string difference = fmt::format("{} {}", format_time(size_of(change)), change < 0 ? "less" : "more");
    const compare::Estimate& total = comparison.total;
    const auto bound = [](double ns) { return format_change(static_cast<Picoseconds>(ns * 1e3)); };
    const std::string interval = total.basis == compare::Basis::kNone
                                     ? std::string()
                                     : fmt::format("95% interval {} to {}", bound(total.interval.low()), bound(total.interval.high()));
    if (total.basis != compare::Basis::kNone && !total.distinguishable())
        return fmt::format("B cannot be told from A: it takes {}, and runs differ by as much ({})", difference, interval);
    return fmt::format("B takes {} than A ({}{}): {}", difference, format_change_percent(change, comparison.total_ps[kA]),
                       interval.empty() ? "" : "; " + interval, explanation(diff));
}

}  // namespace fnprof::report
