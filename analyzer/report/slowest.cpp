#include "report/slowest.h"

#include "report/call_path.h"
#include "report/no_match.h"
#include "report/reductions.h"
#include "report/text.h"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <ostream>
#include <tuple>

namespace fnprof::report {
namespace {

// A median of fewer calls says nothing about what is usual.
constexpr uint64_t kCallsForAMedian = 20;

struct Row {
    model::FunctionId function = model::kNone;
    const model::CallInstance* call = nullptr;
    uint64_t median_ns = 0;

    uint64_t excess_ns() const { return call->duration_ns > median_ns ? call->duration_ns - median_ns : 0; }
};

// Whoever is called by a slow call's caller makes that one slow too. Of calls inside one another only the innermost one says something
// that has nine tenths of the excess of the one around it.
void drop_explained(std::vector<Row>& rows) {
    std::ranges::sort(rows, [](const Row& a, const Row& b) {
        return std::tuple(a.call->thread, a.call->start_ns, b.call->elapsed_ns) < std::tuple(b.call->thread, b.call->start_ns, a.call->elapsed_ns);
    });
    std::vector<bool> explained(rows.size());
    std::vector<size_t> around;
    for (size_t i = 0; i < rows.size(); ++i) {
        const model::CallInstance& call = *rows[i].call;
        const auto ended_before = [&](const model::CallInstance& other) {
            return other.thread != call.thread || other.start_ns + other.elapsed_ns < call.start_ns + call.elapsed_ns;
        };
        while (!around.empty() && ended_before(*rows[around.back()].call)) around.pop_back();
        if (!around.empty() && rows[i].excess_ns() >= rows[around.back()].excess_ns() / 10 * 9) explained[around.back()] = true;
        around.push_back(i);
    }
    size_t kept = 0;
    for (size_t i = 0; i < rows.size(); ++i) {
        if (!explained[i]) rows[kept++] = rows[i];
    }
    rows.resize(kept);
}

std::vector<Row> rows_of(const model::Profile& profile, const std::vector<model::FunctionId>& functions) {
    std::vector<Row> rows;
    for (const model::FunctionId id : functions) {
        const model::FunctionStats& stats = profile.stats[id];
        if (!stats.distribution_known) continue;
        const bool has_median = stats.durations.calls >= kCallsForAMedian;
        if (functions.size() > 1 && !has_median) continue;
        const uint64_t median = has_median ? percentile_ns(stats.durations, stats.histogram, 500) : 0;
        for (const model::CallInstance& call : stats.slowest) rows.push_back({id, &call, median});
    }
    if (functions.size() == 1) return rows;
    drop_explained(rows);
    std::ranges::stable_sort(rows, std::greater(), &Row::excess_ns);
    return rows;
}

std::string ending_of(const model::CallInstance& call) {
    switch (call.ending) {
        case model::Ending::kReturned: return "";
        case model::Ending::kOpen: return "open";
        case model::Ending::kUnwound:
        case model::Ending::kProvedDead: return "unwound";
    }
    return "";
}

std::string thread_of(const model::Profile& profile, const model::CallInstance& call) {
    if (call.thread >= profile.threads.size()) return "?";
    const model::Thread& thread = profile.threads[call.thread];
    std::string name = fmt::to_string(thread.serial);
    if (profile.processes.size() > 1 && thread.process != model::kNone) name = fmt::format("{}/{}", profile.processes[thread.process].pid, name);
    return thread.name.empty() ? name : fmt::format("{} {}", name, printable(thread.name));
}

// When the call began, since its process did.
std::string start_of(const model::Profile& profile, const model::CallInstance& call) {
    if (call.thread >= profile.threads.size()) return "?";
    const uint32_t process = profile.threads[call.thread].process;
    const uint64_t start_ns = process == model::kNone ? 0 : profile.processes[process].start_ns;
    return "+" + format_time(Picoseconds{call.start_ns > start_ns ? call.start_ns - start_ns : 0} * 1000);
}

}  // namespace

void print_slowest(std::ostream& out, const Page& page, const SlowestOptions& options) {
    print_heading(out, page);
    const Selection selection =
        select(sorted(page.profile, page.names, page.figures, page.paths, options.order), options.restrictions, page.names, page.paths);
    const std::vector<Row> rows = rows_of(page.profile, selection.shown);
    const bool several = selection.shown.size() > 1;
    print_order(out, several ? "time above the function's median call" : "duration", selection.messages);
    if (!selection.unmatched.empty())
        return print_no_match(out, page, {selection.unmatched, selection.searched, selection.matching_elsewhere, row_word(page.names.granularity())});

    std::vector<std::string> titles{"duration"};
    if (several) titles.push_back("median");
    titles.insert(titles.end(), {"elapsed", "began at", "thread", "ended by", "call path"});
    Grid grid(std::move(titles));
    const size_t shown = std::min(options.rows, rows.size());
    for (size_t i = 0; i < shown; ++i) {
        const model::CallInstance& call = *rows[i].call;
        const std::string duration = format_time(Picoseconds{call.duration_ns} * 1000, page.figures.clock_step_ps());
        std::vector<std::string> cells{call.ending == model::Ending::kOpen ? ">=" + duration : duration};
        if (several) cells.push_back(format_time(Picoseconds{rows[i].median_ns} * 1000, page.figures.clock_step_ps()));
        cells.insert(cells.end(), {format_time(Picoseconds{call.elapsed_ns} * 1000), start_of(page.profile, call),
                                   thread_of(page.profile, call), ending_of(call), ""});
        grid.add(std::move(cells));
    }
    const size_t room = page.width == 0 ? 0 : page.width > grid.width() + 20 ? page.width - grid.width() : 20;
    for (size_t i = 0; i < shown; ++i) grid.rows()[i].back() = call_path_text(page, rows[i].call->path, room);
    grid.print(out, page);
    const std::string unknown = unknown_distributions(page.profile);
    if (rows.empty() && unknown.empty()) fmt::print(out, "   no {} here has had {} calls\n", row_word(page.names.granularity()), kCallsForAMedian);
    if (!unknown.empty()) print_wrapped(out, page, "Note: " + unknown);
    if (shown < rows.size()) print_wrapped(out, page, fmt::format("{} more call{} not shown; the {} slowest of each function are kept", rows.size() - shown, rows.size() - shown == 1 ? "" : "s", model::kSlowestKept));
}

}  // namespace fnprof::report
