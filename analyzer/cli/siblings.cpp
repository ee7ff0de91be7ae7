#include "cli/siblings.h"

#include "trace/trace_file.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <optional>
#include <set>
#include <string_view>

namespace fnprof::cli {
namespace {

namespace fs = std::filesystem;
constexpr std::string_view kExtension = ".zst";

bool all_digits(std::string_view text) {
    return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

// "trace.1234.2.zst" -> "trace": what the names of one run's traces have in common.
std::string run_stem(const fs::path& path) {
    std::string name = path.filename().string();
    if (name.ends_with(kExtension)) name.resize(name.size() - kExtension.size());
    for (int number = 0; number < 2; ++number) {
        const size_t dot = name.rfind('.');
        if (dot == std::string::npos || dot == 0 || !all_digits(std::string_view(name).substr(dot + 1))) break;
        name.resize(dot);
    }
    return name;
}

std::optional<format::ProcessItem> process_of(const std::string& path) {
    try {
        const trace::TraceFile file(path);
        if (file.metadata().has_process) return file.metadata().process.facts;
    } catch (const trace::TraceError&) {
        // Not a trace, or nothing in it yet: not of this run as far as anyone can tell.
    }
    return std::nullopt;
}

bool is_parent(const format::ProcessItem& parent, const format::ProcessItem& child) {
    if (child.fork_parent_pid != 0)
        return child.fork_parent_pid == parent.pid && child.fork_parent_start == parent.process_start;
    // Process numbers are used again: a parent is older than its child.
    return child.parent_pid == parent.pid && parent.process_start <= child.process_start;
}

bool same_run(const format::ProcessItem& a, const format::ProcessItem& b) {
    if (std::memcmp(a.boot_id, b.boot_id, sizeof a.boot_id) != 0) return false;
    if (a.pid == b.pid) return a.process_start == b.process_start;
    return is_parent(a, b) || is_parent(b, a);
}

struct Candidate {
    std::string path;
    format::ProcessItem process;
    bool belongs = false;
};

std::vector<Candidate> candidates_beside(const std::vector<std::string>& traces) {
    std::set<std::string> seen;
    for (const std::string& trace : traces) {
        std::error_code error;
        seen.insert(fs::weakly_canonical(trace, error).string());
    }
    std::vector<Candidate> out;
    for (const std::string& trace : traces) {
        const fs::path path(trace);
        if (path.extension() != kExtension) continue;
        const fs::path directory = path.has_parent_path() ? path.parent_path() : fs::path(".");
        std::error_code error;
        for (const fs::directory_entry& entry : fs::directory_iterator(directory, error)) {
            const fs::path& beside = entry.path();
            if (beside.extension() != kExtension || run_stem(beside) != run_stem(path)) continue;
            std::error_code ignored;
            if (!entry.is_regular_file(ignored) || !seen.insert(fs::weakly_canonical(beside, ignored).string()).second)
                continue;
            const std::string name = path.has_parent_path() ? beside.string() : beside.filename().string();
            if (const auto process = process_of(name)) out.push_back({name, *process});
        }
    }
    std::ranges::sort(out, {}, &Candidate::path);
    return out;
}

}  // namespace

std::vector<std::string> unread_siblings(const std::vector<std::string>& traces) {
    std::vector<Candidate> candidates = candidates_beside(traces);
    if (candidates.empty()) return {};
    std::vector<format::ProcessItem> run;
    for (const std::string& trace : traces)
        if (const auto process = process_of(trace)) run.push_back(*process);

    // Relatives of relatives belong too: until a round adds none.
    for (bool grown = true; grown;) {
        grown = false;
        for (Candidate& candidate : candidates) {
            if (candidate.belongs ||
                std::ranges::none_of(run, [&](const auto& member) { return same_run(member, candidate.process); }))
                continue;
            candidate.belongs = grown = true;
            run.push_back(candidate.process);
        }
    }
    std::vector<std::string> out;
    for (const Candidate& candidate : candidates)
        if (candidate.belongs) out.push_back(candidate.path);
    return out;
}

}  // namespace fnprof::cli
