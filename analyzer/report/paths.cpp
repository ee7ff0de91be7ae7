#include "report/paths.h"

#include "report/call_path.h"
#include "report/each_function.h"
#include "report/text.h"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <ostream>

namespace fnprof::report {
namespace {

constexpr size_t kLeastPathColumns = 20;

std::string duration_cell(const Page& page, const model::Durations& durations, uint64_t ns) {
    if (durations.calls == 0) return "";
    return format_time(Picoseconds{ns} * 1000, page.figures.clock_step_ps());
}

// The function's paths, the one with most cumulative time first.
std::vector<model::PathId> paths_to(const Page& page, model::FunctionId id) {
    std::vector<model::PathId> paths;
    for (model::PathId path = 0; path < page.profile.paths.size(); ++path) {
        if (page.profile.paths[path].function == id) paths.push_back(path);
    }
    std::ranges::stable_sort(paths, std::greater(), [&](model::PathId path) { return page.figures.cumulative(page.profile.paths[path].cost).ps; });
    return paths;
}

void print_function(std::ostream& out, const Page& page, model::FunctionId id, size_t most) {
    fmt::print(out, "{}\n", inked(page, Ink::kTitle, page.names.label(id, page.paths, page.width)));
    const std::vector<model::PathId> paths = paths_to(page, id);
    const size_t shown = std::min(most, paths.size());
    Grid grid({"ncalls", "tottime", "cumtime", "min", "mean", "max", "stddev", "call path"});
    for (size_t i = 0; i < shown; ++i) {
        const model::CallPath& path = page.profile.paths[paths[i]];
        const model::Durations& durations = path.durations;
        const auto cell = [&](double ns) { return duration_cell(page, durations, static_cast<uint64_t>(ns)); };
        grid.add({fmt::to_string(path.ncalls), format_amount(page.figures.self(path.cost)), format_amount(page.figures.cumulative(path.cost)),
                  duration_cell(page, durations, durations.least_ns), durations.calls == 0 ? "" : cell(durations.mean_ns()),
                  duration_cell(page, durations, durations.most_ns), durations.calls == 0 ? "" : cell(durations.standard_deviation_ns()), ""});
    }
    const size_t room = page.width == 0 ? 0 : std::max(page.width, grid.width() + kLeastPathColumns) - grid.width();
    for (size_t i = 0; i < shown; ++i) grid.rows()[i].back() = call_path_text(page, paths[i], room);
    grid.print(out, page);
    if (shown == paths.size()) return;
    uint64_t calls = 0;
    Picoseconds self_ps = 0;
    for (size_t i = shown; i < paths.size(); ++i) {
        calls += page.profile.paths[paths[i]].ncalls;
        self_ps += page.figures.self(page.profile.paths[paths[i]].cost).ps;
    }
    print_wrapped(out, page, fmt::format("{} more call path{} not shown: {} call{}, {} of internal time; 'all' shows everything", paths.size() - shown, paths.size() - shown == 1 ? "" : "s",
                                         calls, calls == 1 ? "" : "s", format_time(std::max<Picoseconds>(self_ps, 0))));
}

}  // namespace

void print_paths(std::ostream& out, const Page& page, const PathsOptions& options) {
    print_each_function(out, page, options.order, options.restrictions, [&](model::FunctionId id) { print_function(out, page, id, options.paths_each); });
}

}  // namespace fnprof::report
