// Traces in, profile out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "model/profile.h"
#include "model/run_selection.h"
#include "trace/trace_file.h"

namespace fnprof::model {

// Of the trace that is being read.
struct ReadSoFar {
    const std::string& path;
    uint64_t done;   // records
    uint64_t total;  // damaged ones included
};

struct AggregateOptions {
    bool raw = false;                         // take the hooks' own cost for nothing
    bool call_sites = false;                  // tell call paths apart by where their calls come from
    // Asked before each block; false: no more is read, and the profile says that it is not complete. Empty: everything is.
    std::function<bool(const ReadSoFar&)> go_on = {};
    size_t waiting_bytes = size_t{64} << 20;  // see replay.h
    // Bytes of the code of the function at a symbol-table address, 0 if unknown. Asked about functions whose names the trace lacks (its
    // process was killed, or inherited them): which function a call site lies in decides about stacks.
    std::function<uint64_t(const Module& module, uint64_t address)> size_at = {};
    // The mangled name of the function around a symbol-table address, empty if unknown. Asked about a few callers that were not
    // instrumented: those of signal handlers, fibers and split stacks. Without it, calls on a new piece of a split stack have no caller.
    std::function<std::string(const Module& module, uint64_t address)> name_around = {};
    RunSelection selection = {};
};

// The profile of one or more traces, read one after the other; their order does not matter. A forked child's active calls come from its
// parent's trace, if that is among them. Empty traces among others (a process was killed before it recorded anything) are told of. Throws
// trace::TraceError for a trace that cannot be read at all, and if there is nothing in any of them.
Profile aggregate(const std::vector<std::string>& paths, const AggregateOptions& options = {});

// The same, each trace by itself: profiles of one process each, in the order in which they were read. (A process that ran several traced
// programs by exec has as many traces.)
struct EachProfile {
    std::vector<Profile> profiles;
    std::vector<std::string> remarks;  // on traces that hold nothing
    Profile left_out;                  // of processes that the selection does not take: what it weighs
};
EachProfile aggregate_each(const std::vector<std::string>& paths, const AggregateOptions& options = {});

// Of one trace that is open already; `path` is its name in the profile. Reads it to the end.
Profile aggregate(trace::TraceFile& file, const std::string& path, const AggregateOptions& options = {});

}  // namespace fnprof::model
