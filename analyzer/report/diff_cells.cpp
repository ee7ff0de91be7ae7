#include "report/diff_cells.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace fnprof::report {
namespace {

using compare::kA;
using compare::kB;
using compare::Side;

Picoseconds size_of(Picoseconds ps) { return ps < 0 ? -ps : ps; }

Picoseconds to_ps(double ns) { return static_cast<Picoseconds>(std::llround(ns * 1e3)); }

std::string mean_calls(const compare::Calls& calls) {
    return calls.constant ? fmt::format("{:.0f}", calls.mean) : fmt::format("{:.1f}", calls.mean);
}

// The coarser of both sides, of one run.
template <class Resolution>
uint64_t coarser(const DiffPage& diff, Resolution of_side) {
    return std::max(of_side(kA) / diff.comparison.run_count(kA), of_side(kB) / diff.comparison.run_count(kB));
}

uint64_t call_resolution(const DiffPage& diff, model::FunctionId id) {
    uint64_t coarsest = 0;
    for (const Side side : {kA, kB}) {
        const model::FunctionStats& stats = diff.comparison.runs.total[side].stats[id];
        if (stats.primitive_calls == 0) continue;
        coarsest = std::max(coarsest, Figures::per_call(diff.figures[side].cumulative(stats.cost), stats.primitive_calls).resolution_ps);
    }
    return coarsest;
}

std::string call_change(const DiffPage& diff, model::FunctionId id, const compare::Estimate& estimate) {
    const uint64_t resolution = call_resolution(diff, id);
    const Picoseconds change = to_ps(estimate.b) - to_ps(estimate.a);
    if (size_of(change) < Picoseconds{resolution}) return format_change(change, resolution);
    if (estimate.basis == compare::Basis::kNone) return format_change(change) + " (no interval)";
    if (!estimate.distinguishable()) return "not distinguishable";
    const Picoseconds half_width = to_ps(estimate.interval.half_width);
    return fmt::format("{} +-{}", format_change(change), half_width == 0 ? "0ns" : format_time(half_width, resolution));
}

// A part that is exactly nothing is no small one.
std::string part(Picoseconds ps, uint64_t resolution_ps) { return ps == 0 ? "0" : format_change(ps, resolution_ps); }

}  // namespace

std::string format_change(Picoseconds ps) { return (ps > 0 ? "+" : "") + format_time(ps); }

std::string format_change(Picoseconds ps, uint64_t resolution_ps) {
    if (size_of(ps) < Picoseconds{resolution_ps}) return format_time(0, resolution_ps);
    return format_change(ps);
}

std::string format_change_percent(Picoseconds part, Picoseconds whole) {
    const std::string text = format_percent(part, whole);
    if (text.empty()) return text;
    return (part > 0 && text != "0.0" ? "+" : "") + text + "%";
}

uint64_t self_resolution(const DiffPage& diff, model::FunctionId id) {
    return coarser(diff, [&](Side side) { return diff.figures[side].self(diff.comparison.runs.total[side].stats[id].cost).resolution_ps; });
}

uint64_t cumulative_resolution(const DiffPage& diff, model::FunctionId id) {
    return coarser(diff, [&](Side side) { return diff.figures[side].cumulative(diff.comparison.runs.total[side].stats[id].cost).resolution_ps; });
}

uint64_t total_resolution(const DiffPage& diff) {
    return coarser(diff, [&](Side side) { return diff.figures[side].total().resolution_ps; });
}

bool total_differs(const DiffPage& diff) {
    const compare::Comparison& comparison = diff.comparison;
    if (comparison.change_ps() == 0 || size_of(comparison.change_ps()) < Picoseconds{total_resolution(diff)}) return false;
    return comparison.total.basis == compare::Basis::kNone || comparison.total.distinguishable();
}

std::string calls_text(const compare::FunctionChange& function) {
    const std::string a = mean_calls(function.calls[kA]), b = mean_calls(function.calls[kB]);
    return a == b ? a : fmt::format("{} -> {}", a, b);
}

ChangeCells change_cells(const DiffPage& diff, model::FunctionId id) {
    const compare::FunctionChange& function = diff.comparison.functions[id];
    const Picoseconds explained = function.explained.sum();
    const uint64_t self = self_resolution(diff, id), cumulative = cumulative_resolution(diff, id);
    ChangeCells cells;
    if (total_differs(diff)) {
        const double share = 100 * static_cast<double>(explained) / static_cast<double>(diff.comparison.change_ps());
        cells.share = fmt::format("{:.1f}", std::fabs(share) < 0.05 ? 0.0 : share);
    }
    cells.explained = part(explained, cumulative);
    cells.calls = calls_text(function);
    cells.tottime = part(function.self.change_ps(), self);
    cells.count = part(function.self.count_ps, self);
    cells.mix = part(function.self.mix_ps, self);
    cells.per_call = part(function.self.per_call_ps, self);
    const auto mean_cell = [&](Side side) {
        const model::Durations& durations = diff.comparison.runs.total[side].stats[id].durations;
        if (durations.calls == 0) return std::string("-");
        const double mean = function.per_call ? (side == kA ? function.per_call->a : function.per_call->b) : durations.mean_ns();
        return format_time(to_ps(mean), call_resolution(diff, id));
    };
    cells.call_a = mean_cell(kA);
    cells.call_b = mean_cell(kB);
    if (function.per_call) cells.call_change = call_change(diff, id, *function.per_call);
    return cells;
}

std::string basis_text(const compare::Comparison& comparison) {
    const size_t a = comparison.run_count(kA), b = comparison.run_count(kB);
    const std::string note = "; where it contains 0 the change is not distinguishable from chance";
    if (a > 1 && b > 1) return fmt::format("95% interval (Welch's t) from the means of {} and {} runs{}", a, b, note);
    if (a > 1 || b > 1)
        return fmt::format("95% interval (Student's t) from the means of {}'s {} runs; {} is a single run and is taken to vary as those do{}", a > 1 ? "A" : "B",
                           std::max(a, b), a > 1 ? "B" : "A", note);
    return "95% interval (Welch's t) from how much the calls of each run differ, since there is one run a side" + note +
           ". Calls of one run are not independent of each other, and how much whole runs differ it cannot know: give several runs (A1 A2 A3 -- B1 B2 B3)";
}

}  // namespace fnprof::report
