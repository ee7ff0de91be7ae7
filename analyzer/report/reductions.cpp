#include "report/reductions.h"

#include "report/text.h"

#include <fmt/format.h>

#include <algorithm>

namespace fnprof::report {
namespace {

Picoseconds time_of(const model::Weight& weight, const Figures& figures) {
    return std::max<Picoseconds>(figures.raw() ? Picoseconds{weight.self_ns} * 1000 : weight.self_net_ps(), 0);
}

std::string calls_text(uint64_t calls) { return fmt::format("{} call{}", calls, calls == 1 ? "" : "s"); }

std::string line_of(const model::Reduction& reduction, const Figures& figures) {
    const Picoseconds before = time_of(reduction.before, figures), after = time_of(reduction.after, figures);
    const std::string share = format_percent(after, before);
    std::string line = fmt::format("{} shows {} of {}, {} of {}{}", printable(reduction.what), reduction.after.calls, calls_text(reduction.before.calls),
                                   format_time(after), format_time(before), share.empty() ? "" : " (" + share + "%)");
    if (reduction.folded.calls != 0 || reduction.folded.self_ns != 0)
        line += fmt::format("; {} and {} count as part of their callers", calls_text(reduction.folded.calls), format_time(time_of(reduction.folded, figures)));
    if (!reduction.note.empty()) line += "; " + reduction.note;
    return line;
}

}  // namespace

std::vector<std::string> reduction_lines(const model::Profile& profile, const Figures& figures, Granularity by) {
    std::vector<std::string> lines;
    for (const model::Reduction& reduction : profile.reductions) lines.push_back("Selection: " + line_of(reduction, figures));
    if (!lines.empty() && figures.total_ps() > 0) lines.push_back(fmt::format("Percentages are shares of the {} that are shown", format_time(figures.total_ps())));
    if (by != Granularity::kFunction)
        lines.push_back(fmt::format("Functions are taken together by {}: calls within a {} are counted, time inside it once", row_word(by), row_word(by)));
    return lines;
}

std::string unknown_distributions(const model::Profile& profile) {
    const auto count = std::ranges::count(profile.stats, false, &model::FunctionStats::distribution_known);
    if (count == 0) return {};
    return fmt::format("Only some of the calls of {} function{} are selected: percentiles, histograms, first and slowest calls are kept for all calls of a "
                       "function or of none, so these are not known there",
                       count, count == 1 ? "" : "s");
}

}  // namespace fnprof::report
