#include "report/durations.h"

#include "report/each_function.h"
#include "report/labels.h"
#include "report/text.h"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <bit>
#include <map>
#include <ostream>

namespace fnprof::report {
namespace {

constexpr size_t kRows = 24;      // of a histogram, about
constexpr size_t kBarColumns = 50;
constexpr size_t kCallers = 10;
// Callers whose medians differ by this much, with calls enough to have one, are pointed out.
constexpr uint64_t kMediansDiffer = 2;
constexpr uint64_t kCallsForAMedian = 20;

std::string time_of(const Page& page, uint64_t ns) {
    return format_time(Picoseconds{ns} * 1000, page.figures.clock_step_ps());
}

// A row of the histogram: buckets [first, last].
struct Row {
    uint32_t first = 0;
    uint32_t last = 0;
    uint64_t calls = 0;
};

// Buckets taken together by powers of two, so that about kRows rows remain; empty ones between others are rows too.
std::vector<Row> rows_of(const model::Histogram& histogram) {
    const auto& counts = histogram.counts();
    const uint32_t span = counts.back().bucket - counts.front().bucket + 1;
    const uint32_t width = std::bit_ceil(std::max<uint32_t>(1, static_cast<uint32_t>((span + kRows - 1) / kRows)));
    const uint32_t first = counts.front().bucket / width;
    std::vector<Row> rows(counts.back().bucket / width - first + 1);
    for (uint32_t i = 0; i < rows.size(); ++i) {
        rows[i].first = (first + i) * width;
        rows[i].last = rows[i].first + width - 1;
    }
    for (const model::Histogram::Count& count : counts) rows[count.bucket / width - first].calls += count.calls;
    return rows;
}

// "####" for the share of the fullest row; a row with calls has at least one mark.
std::string bar(uint64_t calls, uint64_t most) {
    if (calls == 0) return "";
    const auto length = static_cast<size_t>(static_cast<double>(calls) / static_cast<double>(most) * kBarColumns);
    return std::string(std::max<size_t>(length, 1), '#');
}

void print_histogram(std::ostream& out, const Page& page, const model::Histogram& histogram) {
    const std::vector<Row> rows = rows_of(histogram);
    const uint64_t all = histogram.calls();
    const uint64_t most = std::ranges::max_element(rows, {}, &Row::calls)->calls;
    Grid grid({"from", "calls", "%", ""});
    for (const Row& row : rows) {
        const uint64_t low = model::bucket_low(row.first);
        grid.add({format_exact_time(Picoseconds{low} * 1000), fmt::to_string(row.calls), format_percent(row.calls, all), bar(row.calls, most)});
    }
    grid.print(out, page);
}

struct Percentile {
    const char* title;
    unsigned permille;
};
constexpr Percentile kPercentiles[] = {{"p50", 500}, {"p90", 900}, {"p99", 990}, {"p99.9", 999}};

std::vector<std::string> percentile_titles() {
    std::vector<std::string> titles{"min"};
    for (const Percentile& percentile : kPercentiles) titles.emplace_back(percentile.title);
    titles.emplace_back("max");
    return titles;
}

// Of a function or an edge.
template <class Stats>
std::vector<std::string> percentile_cells(const Page& page, const Stats& stats) {
    const model::Durations& durations = stats.durations;
    std::vector<std::string> cells{time_of(page, durations.least_ns)};
    for (const Percentile& percentile : kPercentiles)
        cells.push_back(stats.distribution_known ? time_of(page, percentile_ns(durations, stats.histogram, percentile.permille)) : "");
    cells.push_back(time_of(page, durations.most_ns));
    return cells;
}

// What callers get of the function, the one with most calls first.
void print_callers_of(std::ostream& out, const Page& page, model::FunctionId id) {
    std::vector<const model::Edge*> edges;
    for (const model::Edge& edge : page.profile.edges) {
        if (edge.callee == id && edge.durations.calls != 0) edges.push_back(&edge);
    }
    if (edges.size() < 2) return;
    std::ranges::stable_sort(edges, std::greater(), &model::Edge::ncalls);
    std::vector<std::string> titles{"calls"};
    for (std::string& title : percentile_titles()) titles.push_back(std::move(title));
    titles.push_back("caller");
    Grid grid(std::move(titles));
    const model::Edge* fastest = nullptr;
    const model::Edge* slowest = nullptr;
    const auto median = [](const model::Edge& edge) { return percentile_ns(edge.durations, edge.histogram, 500); };
    for (size_t i = 0; i < edges.size(); ++i) {
        const model::Edge& edge = *edges[i];
        if (edge.durations.calls >= kCallsForAMedian && edge.distribution_known) {
            if (fastest == nullptr || median(edge) < median(*fastest)) fastest = &edge;
            if (slowest == nullptr || median(edge) > median(*slowest)) slowest = &edge;
        }
        if (i >= kCallers) continue;
        std::vector<std::string> cells{fmt::to_string(edge.durations.calls)};
        for (std::string& cell : percentile_cells(page, edge)) cells.push_back(std::move(cell));
        cells.emplace_back();
        grid.add(std::move(cells));
    }
    const size_t before = grid.width();
    std::vector<LabelRow> callers;
    for (size_t i = 0; i < grid.rows().size(); ++i) {
        callers.push_back({edges[i]->caller, page.width == 0 ? 0 : page.width > before ? page.width - before : 1});
    }
    const std::vector<std::string> labels = distinct_labels(page.names, page.paths, callers, LabelForm::kPlaceFirst);
    for (size_t i = 0; i < labels.size(); ++i) grid.rows()[i].back() = labels[i];
    fmt::print(out, "\n");
    grid.print(out, page);
    if (edges.size() > kCallers) fmt::print(out, "   {} more callers not shown: fnprof-analyze callers\n", edges.size() - kCallers);
    // Below the clock's step medians say nothing.
    const auto above_step = [&](const model::Edge& edge) { return Picoseconds{median(edge)} * 1000 >= Picoseconds{page.figures.clock_step_ps()}; };
    if (fastest == nullptr || !above_step(*slowest) || median(*slowest) < kMediansDiffer * std::max<uint64_t>(median(*fastest), 1)) return;
    const std::vector<LabelRow> both{{slowest->caller, 0}, {fastest->caller, 0}};
    const std::vector<std::string> names = distinct_labels(page.names, page.paths, both, LabelForm::kPlaceFirst);
    print_wrapped(out, page,
                  fmt::format("The median call takes {} when called by {}, {} when by {}.", time_of(page, median(*slowest)), names[0],
                              time_of(page, median(*fastest)), names[1]));
}

struct Level {
    uint64_t calls = 0;
    model::Cost cost;
};

// How deep in itself the function was called: level 1 are calls from outside.
void print_recursion(std::ostream& out, const Page& page, model::FunctionId id) {
    const model::FunctionStats& stats = page.profile.stats[id];
    if (stats.ncalls == stats.primitive_calls) return;
    std::map<uint32_t, Level> levels;
    std::vector<uint32_t> depth(page.profile.paths.size());
    for (model::PathId i = 0; i < depth.size(); ++i) {
        const model::CallPath& path = page.profile.paths[i];
        depth[i] = (path.parent == model::kNone ? 0 : depth[path.parent]) + (path.function == id);
        if (path.function != id) continue;
        Level& level = levels[std::bit_floor(depth[i])];
        level.calls += path.ncalls;
        level.cost.self_ns += path.cost.self_ns;
        level.cost.self_hook_ps += path.cost.self_hook_ps;
    }
    Grid grid({"recursion level", "calls", "tottime", ""});
    for (const auto& [first, level] : levels) {
        const std::string name = first == 1 ? "1" : first == 2 ? "2-3" : fmt::format("{}-{}", first, 2 * first - 1);
        grid.add({name, fmt::to_string(level.calls), format_amount(page.figures.self(level.cost)), ""});
    }
    fmt::print(out, "\n");
    grid.print(out, page);
}

void print_function(std::ostream& out, const Page& page, model::FunctionId id) {
    const model::FunctionStats& stats = page.profile.stats[id];
    fmt::print(out, "{}\n", inked(page, Ink::kTitle, page.names.label(id, page.paths, page.width)));
    if (stats.durations.calls == 0) {
        fmt::print(out, "   {} ended\n", stats.ncalls == 1 ? "the one call has not" : fmt::format("none of {} calls has", stats.ncalls));
        return;
    }
    std::string ends = fmt::format("{} call{} ended", stats.durations.calls, stats.durations.calls == 1 ? " has" : "s have");
    if (stats.unwound_calls != 0) ends += fmt::format(", {} of all by an exception, longjmp or the end of their thread", stats.unwound_calls);
    if (stats.open_calls != 0) ends += fmt::format("; {} had not ended when the trace did, and {} not in these figures", stats.open_calls, stats.open_calls == 1 ? "is" : "are");
    print_wrapped(out, page, ends);
    std::vector<std::string> titles{"min", "max"}, cells{time_of(page, stats.durations.least_ns), time_of(page, stats.durations.most_ns)};
    if (stats.distribution_known) {
        titles = percentile_titles();
        cells = percentile_cells(page, stats);
    }
    titles.insert(titles.end(), {"mean", "stddev", ""});
    Grid grid(std::move(titles));
    cells.push_back(time_of(page, static_cast<uint64_t>(stats.durations.mean_ns())));
    cells.push_back(time_of(page, static_cast<uint64_t>(stats.durations.standard_deviation_ns())));
    cells.push_back("");
    grid.add(std::move(cells));
    grid.print(out, page);
    if (stats.first.processes != 0 && stats.durations.calls > stats.first.processes) {
        const uint64_t first = stats.first.sum_ns / stats.first.processes;
        const uint64_t later = (stats.durations.sum_ns - stats.first.sum_ns) / (stats.durations.calls - stats.first.processes);
        print_wrapped(out, page,
                      fmt::format("First call{} {}, later ones {} on average.", stats.first.processes == 1 ? "" : fmt::format("s of {} processes", stats.first.processes),
                                  time_of(page, first), time_of(page, later)));
    }
    if (stats.distribution_known) {
        fmt::print(out, "\n");
        print_histogram(out, page, stats.histogram);
    } else {
        print_wrapped(out, page,
                      "Some of its calls are not selected, or their paths are not: the histogram is kept for all of a function's calls or for none, so "
                      "percentiles are not known.");
    }
    print_callers_of(out, page, id);
    print_recursion(out, page, id);
}

}  // namespace

void print_durations(std::ostream& out, const Page& page, const DurationsOptions& options) {
    print_each_function(out, page, options.order, options.restrictions, [&](model::FunctionId id) { print_function(out, page, id); });
}

}  // namespace fnprof::report
