#include "support/books.h"

#include <sstream>
#include <vector>

namespace fnprof::testing {

using namespace model;

namespace {

// Sums modulo 2^64: times of a hostile trace may be anything.
struct Sums {
    uint64_t ncalls = 0;
    uint64_t self_ns = 0;
    bool operator==(const Sums&) const = default;

    template <class Stats>
    void add(const Stats& stats) {
        ncalls += stats.ncalls;
        self_ns += stats.cost.self_ns;
    }
};

std::string check_paths(const Profile& profile) {
    std::vector<uint64_t> cumulative_ns(profile.paths.size());
    for (size_t i = profile.paths.size(); i-- > 0;) {
        const CallPath& path = profile.paths[i];
        if (path.parent != kNone && path.parent >= i) return "a path stands before its caller's";
        if (path.function >= profile.functions.size()) return "a path of no function";
        cumulative_ns[i] += path.cost.self_ns;
        if (path.parent != kNone) cumulative_ns[path.parent] += cumulative_ns[i];
    }
    for (size_t i = 0; i < profile.paths.size(); ++i) {
        if (cumulative_ns[i] != profile.paths[i].cost.cumulative_ns) return "a path's cumulative time is not its own and its callees'";
    }
    return {};
}

std::string check_functions(const Profile& profile) {
    if (profile.stats.size() != profile.functions.size()) return "functions without figures";
    std::vector<Sums> by_path(profile.functions.size());
    std::vector<Sums> by_edge(profile.functions.size());
    for (const CallPath& path : profile.paths) by_path[path.function].add(path);
    for (const Edge& edge : profile.edges) {
        if (edge.callee >= by_edge.size() || (edge.caller != kNone && edge.caller >= by_edge.size())) return "an edge of no function";
        if (edge.primitive_calls > edge.ncalls) return "an edge has more primitive calls than calls";
        by_edge[edge.callee].add(edge);
    }
    for (size_t i = 0; i < profile.functions.size(); ++i) {
        const FunctionStats& stats = profile.stats[i];
        Sums whole;
        whole.add(stats);
        if (by_path[i] != whole) return "a function's figures are not the sum of its paths'";
        if (by_edge[i] != whole) return "a function's figures are not the sum of its edges'";
        if (stats.primitive_calls > stats.ncalls) return "a function has more primitive calls than calls";
        if (stats.open_calls + stats.unwound_calls > stats.ncalls) return "more calls of a function were cut short than made";
    }
    return {};
}

}  // namespace

std::string imbalance_of(const Profile& profile) {
    if (std::string fault = check_paths(profile); !fault.empty()) return fault;
    if (std::string fault = check_functions(profile); !fault.empty()) return fault;
    uint64_t calls = 0, busy_ns = 0, self_ns = 0, open_calls = 0, torn = 0;
    for (const Thread& thread : profile.threads) {
        calls += thread.ncalls;
        busy_ns += thread.busy_ns;
        torn += thread.torn_records;
        if (thread.end_ns < thread.start_ns) return "a thread ends before it starts";
    }
    for (const FunctionStats& stats : profile.stats) {
        self_ns += stats.cost.self_ns;
        open_calls += stats.open_calls;
    }
    if (calls != profile.total_calls()) return "the threads' calls are not the functions'";
    if (busy_ns != self_ns) return "the threads' time is not the functions'";
    if (open_calls != profile.integrity.open_frames) return "open calls are not the open frames";
    if (torn != profile.integrity.torn_records) return "the threads' torn records are not all of them";
    if (!profile.integrity.complete && profile.integrity.remarks.empty()) return "incomplete without a word";
    return {};
}

std::string figures_of(const Profile& profile) {
    std::ostringstream out;
    const auto cost = [&](const Cost& one) {
        out << ' ' << one.self_ns << ' ' << one.cumulative_ns << ' ' << one.self_hook_ps << ' ' << one.cumulative_hook_ps << '\n';
    };
    for (size_t i = 0; i < profile.functions.size(); ++i) {
        const Function& function = profile.functions[i];
        const FunctionStats& stats = profile.stats[i];
        out << "function " << function.mangled << ' ' << function.offset << ' '
            << (function.module == kNone ? "" : profile.modules[function.module].path) << ' ' << stats.ncalls << ' '
            << stats.primitive_calls << ' ' << stats.open_calls << ' ' << stats.unwound_calls;
        cost(stats.cost);
    }
    for (const Edge& edge : profile.edges) {
        out << "edge " << edge.caller << ' ' << edge.callee << ' ' << edge.ncalls << ' ' << edge.primitive_calls;
        cost(edge.cost);
    }
    for (const CallPath& path : profile.paths) {
        out << "path " << path.parent << ' ' << path.function << ' ' << path.ncalls;
        cost(path.cost);
    }
    for (const Process& process : profile.processes) {
        out << "process " << process.pid << ' ' << process.parent_pid << ' ' << process.program << ' ' << process.host << ' '
            << process.wall_start_unix_ns << ' ' << process.start_ns << ' ' << process.end_ns << ' ' << process.clock_step_ps << ' '
            << process.hook_inner_ps << ' ' << process.hook_outer_ps << ' ' << process.ended << process.marks_on;
        for (const std::string& argument : process.arguments) out << ' ' << argument;
        out << '\n';
    }
    for (const Thread& thread : profile.threads) {
        out << "thread " << thread.serial << ' ' << thread.tid << ' ' << thread.name << ' ' << thread.start_ns << ' ' << thread.end_ns << ' '
            << thread.ncalls << ' ' << thread.busy_ns << ' ' << thread.gap_ns << ' ' << thread.lost_records << ' '
            << thread.torn_records << '\n';
    }
    const Integrity& integrity = profile.integrity;
    out << "open " << integrity.open_frames << " unmatched " << integrity.unmatched_exits << " live " << integrity.live_records << '\n';
    return out.str();
}

}  // namespace fnprof::testing
