#include "report/info.h"

#include "report/remarks.h"
#include "report/text.h"
#include "report/thread_table.h"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <ctime>
#include <numeric>
#include <ostream>

namespace fnprof::report {
namespace {

constexpr uint64_t kNsPerSecond = 1'000'000'000;

std::string duration(uint64_t ns) {
    return format_time(Picoseconds{ns} * 1000);
}

std::string utc(uint64_t unix_ns) {
    const auto time = static_cast<std::time_t>(unix_ns / kNsPerSecond);
    std::tm parts{};
    char text[64];
    if (unix_ns == 0 || gmtime_r(&time, &parts) == nullptr) return "unknown";
    const size_t length = std::strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", &parts);
    return fmt::format("{}.{:03} UTC", std::string_view(text, length), unix_ns % kNsPerSecond / 1'000'000);
}

void line(std::ostream& out, std::string_view key, std::string_view value) { fmt::print(out, "  {:<12} {}\n", key, value); }

std::string command(const model::Process& process) {
    std::string text = printable(process.program);
    for (size_t i = 1; i < process.arguments.size(); ++i) text += fmt::format(" {}", printable(process.arguments[i]));
    return text;
}

std::string_view ending(const model::Process& process) {
    switch (process.fate) {
        case model::Fate::kEnded: return "";
        case model::Fate::kRunning: return " until now: the process is still running";
        case model::Fate::kGone: return ", no end record: killed, _exit or exec";
        case model::Fate::kUnknown: break;
    }
    return process.ended ? "" : ", no end record: killed, _exit, exec or still running";
}

void print_process(std::ostream& out, const model::Process& process) {
    fmt::print(out, "{}\n", printable(process.trace.empty() ? process.program : process.trace));
    line(out, "command", command(process));
    line(out, "process",
         fmt::format("{}, child of {}, on {}", process.pid, process.parent_pid,
                     process.host.empty() ? "?" : printable(process.host)));
    line(out, "started", utc(process.wall_start_unix_ns));
    line(out, "duration",
         fmt::format("{}{}", duration(process.end_ns - std::min(process.start_ns, process.end_ns)), ending(process)));
    line(out, "clock",
         fmt::format("{}, step {}",
                     process.clock_counts_ns ? "CLOCK_MONOTONIC, by a system call each time" : "time stamp counter of the processor",
                     process.clock_step_ps == 0 ? "unknown" : format_exact_time(Picoseconds{process.clock_step_ps})));
    line(
        out, "hook cost",
        fmt::format("{} a call in the function, {} in its caller", format_time(Picoseconds{process.hook_inner_ps}),
                    format_time(Picoseconds{process.hook_outer_ps})));
    line(out, "marks",
         process.marks_on ? "on: throw, catch and longjmp are recorded"
                          : "off: stacks after exceptions and longjmp are worked out from stack pointers");
}

void print_threads(std::ostream& out, const Page& page) {
    std::vector<uint32_t> all(page.profile.threads.size());
    std::iota(all.begin(), all.end(), 0U);
    print_thread_table(out, page, all);
}

void print_modules(std::ostream& out, const model::Profile& profile) {
    std::vector<uint64_t> functions(profile.modules.size());
    for (const model::Function& function : profile.functions)
        if (function.module != model::kNone) ++functions[function.module];
    for (size_t i = 0; i < profile.modules.size(); ++i) {
        const model::Module& module = profile.modules[i];
        const std::string build_id = hexadecimal(module.build_id);
        fmt::print(out, "  {}\n    {} function{} seen, build-id {}\n", printable(module.path), functions[i],
                   functions[i] == 1 ? "" : "s", build_id.empty() ? "none" : build_id);
    }
}

void print_integrity(std::ostream& out, const model::Profile& profile) {
    const model::Integrity& integrity = profile.integrity;
    line(out, "complete", integrity.complete ? "yes" : "no");
    const auto count = [&](std::string_view key, uint64_t value) { fmt::print(out, "  {:<12} {}\n", key, value); };
    count("lost", integrity.lost_records);
    count("torn", integrity.torn_records);
    count("bad blocks", integrity.damaged_blocks);
    count("missing", integrity.missing_chunks);
    count("open frames", integrity.open_frames);
    count("lone exits", integrity.unmatched_exits);
    count("from live", integrity.live_records);
    for (const std::string& remark : grouped_remarks(profile)) fmt::print(out, "  {}\n", remark);
}

}  // namespace

void print_info(std::ostream& out, const Page& page) {
    const model::Profile& profile = page.profile;
    for (const model::Process& process : profile.processes) print_process(out, process);
    fmt::print(out, "\ncalls {}, functions {}, call paths {}, caller-callee pairs {}\n", profile.total_calls(),
               profile.functions.size(), profile.paths.size(), profile.edges.size());
    fmt::print(out, "\nthreads\n");
    print_threads(out, page);
    fmt::print(out, "\nmodules\n");
    print_modules(out, profile);
    fmt::print(out, "\nintegrity\n");
    print_integrity(out, profile);
    for (const std::string& note : page.notes) fmt::print(out, "  {}\n", printable(note));
}

}  // namespace fnprof::report
