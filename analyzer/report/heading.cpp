// The lines above every table.
#include "report/page.h"

#include "report/filter_advice.h"
#include "report/reductions.h"
#include "report/remarks.h"
#include "report/text.h"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <ctime>
#include <ostream>

namespace fnprof::report {
namespace {

// Seconds as pstats prints them; more decimals where three would say nothing.
std::string seconds(Picoseconds ps) {
    const double value = static_cast<double>(std::max<Picoseconds>(ps, 0)) / 1e12;
    return fmt::format("{:.{}f}", value, value >= 0.1 ? 3 : value >= 1e-4 ? 6 : 9);
}

std::string local_date(uint64_t unix_ns) {
    const auto time = static_cast<std::time_t>(unix_ns / 1'000'000'000);
    std::tm parts{};
    char text[64];
    if (unix_ns == 0 || localtime_r(&time, &parts) == nullptr) return {};
    return {text, std::strftime(text, sizeof text, "%a %b %e %H:%M:%S %Y", &parts)};
}

std::string process_line(const model::Profile& profile) {
    if (profile.processes.empty()) return {};
    const model::Process& first = *profile.first_process();
    std::string line = printable(base_name(first.program));
    if (profile.processes.size() == 1) {
        line += fmt::format(" (pid {})", first.pid);
    } else {
        line += fmt::format(" and others: {} processes (pid", profile.processes.size());
        constexpr size_t kMost = 4;
        for (size_t i = 0; i < std::min(kMost, profile.processes.size()); ++i)
            line += fmt::format("{} {}", i == 0 ? "" : ",", profile.processes[i].pid);
        line += profile.processes.size() > kMost ? ", ...)" : ")";
    }
    line += ", " + counted(profile.threads.size(), "thread");
    if (const std::string date = local_date(first.wall_start_unix_ns); !date.empty()) line += ", " + date;
    line += ", wall " + format_time(Picoseconds{profile.wall_ns()} * 1000);
    return line;
}

std::string time_line(const Page& page) {
    std::string line = "Times: elapsed per thread, waiting included; ";
    const std::string share = fmt::format("{:.1f}%", 100 * page.figures.hook_share());
    if (page.figures.raw())
        line += fmt::format("as measured, the hooks' own cost ({} of it) included", share);
    else
        line += fmt::format("the hooks' own cost, {} of what was measured, is taken out", share);
    if (page.figures.clock_step_ps() != 0)
        line += "; clock step " + format_exact_time(Picoseconds{page.figures.clock_step_ps()});
    return line;
}

// What fnprof took from the threads is in no function's time; from this share of the total on it is worth a line.
constexpr int64_t kGapWorthALine = 100;

std::string gap_line(const Page& page) {
    uint64_t gap_ns = 0;
    for (const model::Thread& thread : page.profile.threads) gap_ns += thread.gap_ns;
    const Picoseconds gap_ps = Picoseconds{gap_ns} * 1000;
    if (gap_ps == 0 || gap_ps < page.figures.total_ps() / kGapWorthALine) return {};
    return fmt::format(
        "fnprof itself held the threads up for {} (compressing, waiting for the disk); that is in no function's time",
        format_time(gap_ps));
}

constexpr size_t kMostRemarks = 10;

// Where it can be told, who still runs is not called killed, and who was killed not still running.
void add_unended(const model::Profile& profile, std::vector<std::string>& lines) {
    const auto count = [&](model::Fate fate) {
        return static_cast<uint64_t>(std::ranges::count(profile.processes, fate, &model::Process::fate));
    };
    const uint64_t running = count(model::Fate::kRunning), gone = count(model::Fate::kGone);
    const uint64_t others = profile.integrity.unended_processes - std::min(running + gone, profile.integrity.unended_processes);
    if (running != 0)
        lines.push_back(fmt::format("{} still running; what was recorded until now is here",
                                    running == 1 ? "The process is" : fmt::format("{} processes are", running)));
    if (gone != 0)
        lines.push_back(fmt::format("{} without an end record (killed, _exit or exec); what was recorded until then is here",
                                    counted(gone, "trace")));
    if (others != 0)
        lines.push_back(fmt::format(
            "{} without an end record (killed, _exit, exec or still running); what was recorded until then is here",
            counted(others, "trace")));
}

void print_headline(std::ostream& out, const model::Profile& profile, std::string_view seconds_text) {
    const uint64_t calls = profile.total_calls(), primitive = profile.primitive_calls();
    fmt::print(out, "         {} function calls", calls);
    if (calls != primitive) fmt::print(out, " ({} primitive calls)", primitive);
    fmt::print(out, " in {} seconds\n\n", seconds_text);
}

void print_reductions(std::ostream& out, const Page& page) {
    for (const std::string& line : reduction_lines(page.profile, page.figures, page.names.granularity())) print_wrapped(out, page, line);
}

void print_notes(std::ostream& out, const Page& page) {
    for (const std::string& line : integrity_lines(page.profile)) print_wrapped(out, page, "Note: " + line);
    for (const std::string& note : page.notes) print_wrapped(out, page, "Note: " + printable(note));
}

}  // namespace

std::string counted(uint64_t count, std::string_view what) { return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s"); }

std::vector<std::string> integrity_lines(const model::Profile& profile) {
    const model::Integrity& integrity = profile.integrity;
    std::vector<std::string> lines;
    if (!integrity.complete) {
        std::string what;
        const auto add = [&](uint64_t count, std::string_view thing) {
            if (count != 0) what += (what.empty() ? "" : ", ") + counted(count, thing);
        };
        add(integrity.damaged_blocks, "damaged block");
        add(integrity.missing_chunks, "missing chunk");
        add(integrity.lost_records, "lost record");
        lines.push_back("Incomplete: part of what was recorded is missing" + (what.empty() ? "" : " (" + what + ")") +
                        "; counts and times below are of the rest");
    }
    add_unended(profile, lines);
    if (integrity.unmatched_exits != 0)
        lines.push_back(fmt::format("{} without a matching entry, not counted as calls",
                                    counted(integrity.unmatched_exits, "function exit")));
    const std::vector<std::string> remarks = grouped_remarks(profile);
    const size_t shown = std::min(kMostRemarks, remarks.size());
    lines.insert(lines.end(), remarks.begin(), remarks.begin() + static_cast<std::ptrdiff_t>(shown));
    if (shown < remarks.size())
        lines.push_back(fmt::format("{} more of these are listed by 'fnprof-analyze info'", remarks.size() - shown));
    return lines;
}

void print_heading(std::ostream& out, const Page& page) {
    print_headline(out, page.profile, seconds(page.figures.total_ps()));
    if (const std::string line = process_line(page.profile); !line.empty()) print_wrapped(out, page, line);
    print_wrapped(out, page, time_line(page));
    print_reductions(out, page);
    if (const std::string line = gap_line(page); !line.empty()) print_wrapped(out, page, "Note: " + line);
    if (const std::string line = distortion(page); !line.empty()) print_wrapped(out, page, "Note: " + line);
    print_notes(out, page);
}

void print_pstats_heading(std::ostream& out, const Page& page) {
    print_headline(out, page.profile,
                   fmt::format("{:.3f}", static_cast<double>(std::max<Picoseconds>(page.figures.total_ps(), 0)) / 1e12));
    print_reductions(out, page);
    print_notes(out, page);
}

}  // namespace fnprof::report
