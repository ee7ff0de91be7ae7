#include "model/aggregate.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <utility>

#include "model/merge.h"
#include "model/process_profile.h"

namespace fnprof::model {

namespace {

// What has to be known of all traces before the first is read: who was forked from whom.
struct Kin {
    format::ProcessItem facts{};
    bool forked = false;
    format::ClockKind clock = format::ClockKind::kTsc;
    format::ClockKind fork_clock = format::ClockKind::kTsc;  // of its parent, and of fork_ticks
    std::optional<size_t> parent;  // index of the parent's trace, if it is among them
    size_t generation = 0;         // forks above it
    uint64_t start_ns = 0;
    bool empty = false;            // its process ended, or was killed, between making the file and writing to it
};

format::ClockKind other(format::ClockKind clock) {
    return clock == format::ClockKind::kTsc ? format::ClockKind::kMonotonicNs : format::ClockKind::kTsc;
}

bool is_parent(const Kin& parent, const Kin& child) {
    return std::equal(std::begin(parent.facts.boot_id), std::end(parent.facts.boot_id), std::begin(child.facts.boot_id)) &&
           parent.facts.pid == child.facts.fork_parent_pid && parent.facts.process_start == child.facts.fork_parent_start &&
           parent.clock == child.fork_clock && parent.facts.start_ticks <= child.facts.fork_ticks;
}

std::optional<trace::TraceFile> open_unless_empty(const std::string& path) {
    try {
        return std::optional<trace::TraceFile>(std::in_place, path);
    } catch (const trace::TraceError& error) {
        if (error.kind() != trace::TraceError::Kind::kEmpty) throw;
        return std::nullopt;
    }
}

// Opens each trace once to look at it. Files are opened again when their turn comes, a thousand processes' traces need no thousand
// descriptors; what can be read only once (a pipe) stays open.
std::vector<Kin> kinship(const std::vector<std::string>& paths, std::map<size_t, trace::TraceFile>& kept_open) {
    std::vector<Kin> kin(paths.size());
    for (size_t i = 0; i < paths.size(); ++i) {
        std::optional<trace::TraceFile> opened = open_unless_empty(paths[i]);
        kin[i].empty = !opened;
        if (!opened) continue;
        trace::TraceFile& file = *opened;
        kin[i].facts = file.metadata().process.facts;
        kin[i].clock = file.metadata().clock_kind;
        kin[i].fork_clock = (kin[i].facts.flags & format::kForkByOtherClock) != 0 ? other(kin[i].clock) : kin[i].clock;
        kin[i].start_ns = start_of_process(file.metadata());
        kin[i].forked = file.metadata().has_process && kin[i].facts.fork_parent_thread != 0;
        std::error_code ignored;
        if (!std::filesystem::is_regular_file(paths[i], ignored)) kept_open.emplace(i, std::move(file));
    }
    for (Kin& child : kin) {
        if (!child.forked) continue;
        for (size_t i = 0; i < kin.size(); ++i) {
            if (!is_parent(kin[i], child)) continue;
            // Of the images that the parent ran by exec, the last one begun before the fork.
            if (!child.parent || kin[*child.parent].facts.start_ticks < kin[i].facts.start_ticks) child.parent = i;
        }
    }
    for (Kin& one : kin) {
        // A parent began before its child was forked; traces that claim otherwise must not lead in circles.
        for (const Kin* at = &one; at->parent && one.generation < kin.size(); at = &kin[*at->parent]) ++one.generation;
    }
    return kin;
}

// When the run began that the process is part of.
uint64_t start_of_run(const std::vector<Kin>& kin, const Kin& process) {
    uint64_t start_ns = process.start_ns;
    for (const Kin& other : kin) {
        if (!other.empty && std::ranges::equal(other.facts.boot_id, process.facts.boot_id)) start_ns = std::min(start_ns, other.start_ns);
    }
    return start_ns;
}

// Calls take(profile) for each trace, parents before their children. Returns what is to be said of traces that hold nothing.
template <class Take>
std::vector<std::string> read_each(const std::vector<std::string>& paths, const AggregateOptions& options, Take take) {
    std::map<size_t, trace::TraceFile> kept_open;
    const std::vector<Kin> kin = kinship(paths, kept_open);
    std::vector<size_t> order;
    std::vector<std::string> remarks;
    for (size_t i = 0; i < paths.size(); ++i) {
        if (kin[i].empty)
            remarks.push_back(paths[i] + ": empty, the process that made it recorded nothing");
        else
            order.push_back(i);
    }
    // Nothing in any of them: what is said of one such trace holds.
    if (order.empty()) trace::TraceFile file(paths.front());
    std::ranges::stable_sort(order, {}, [&](size_t i) { return kin[i].generation; });
    std::map<size_t, ActiveCalls> active;  // by child, from when its parent was read until it is read itself
    for (const size_t i : order) {
        const auto open = kept_open.find(i);
        trace::TraceFile file = open != kept_open.end() ? std::move(open->second) : trace::TraceFile(paths[i]);
        ProcessProfile process(file, paths[i], options, start_of_run(kin, kin[i]));
        if (const auto calls = active.find(i); calls != active.end()) {
            process.inherit(calls->second);
            active.erase(calls);
        }
        std::vector<std::pair<size_t, size_t>> children;
        for (size_t child = 0; child < kin.size(); ++child) {
            if (kin[child].parent != i || kin[child].generation <= kin[i].generation) continue;
            children.emplace_back(child, process.watch(kin[child].facts.fork_parent_thread, kin[child].facts.fork_ticks));
        }
        process.read();
        for (const auto& [child, number] : children) active[child] = process.active_calls(number);
        take(process.finish());
    }
    return remarks;
}

}  // namespace

Profile aggregate(trace::TraceFile& file, const std::string& path, const AggregateOptions& options) {
    ProcessProfile process(file, path, options, start_of_process(file.metadata()));
    process.read();
    return merge({process.finish()});
}

Profile aggregate(const std::vector<std::string>& paths, const AggregateOptions& options) {
    if (paths.size() == 1) {
        trace::TraceFile file(paths.front());
        return aggregate(file, paths.front(), options);
    }
    Merger merger;
    const std::vector<std::string> remarks = read_each(paths, options, [&](const Profile& profile) { merger.add(profile); });
    Profile profile = unify_builds(merger.finish());
    profile.integrity.remarks.insert(profile.integrity.remarks.end(), remarks.begin(), remarks.end());
    std::ranges::sort(profile.integrity.remarks);
    return profile;
}

EachProfile aggregate_each(const std::vector<std::string>& paths, const AggregateOptions& options) {
    EachProfile each;
    Merger left_out;
    each.remarks = read_each(paths, options, [&](const Profile& profile) {
        if (profile.processes.empty()) {
            left_out.add(profile);
        } else {
            each.profiles.push_back(merge({profile}));
        }
    });
    each.left_out = left_out.finish();
    return each;
}

}  // namespace fnprof::model
