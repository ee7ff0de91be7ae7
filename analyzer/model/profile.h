// A profile: everything the reports show, as integers that add up. Filled by the aggregation of one or more traces,
// merged associatively, read by report/, export/ and html/. It holds no addresses of a run: functions are named by module
// and offset, and whoever prints them asks symbol/ for file and line.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "model/activity.h"
#include "model/durations.h"
#include "model/histogram.h"
#include "model/picoseconds.h"

namespace fnprof::model {

using FunctionId = uint32_t;  // index into Profile::functions
using PathId = uint32_t;      // index into Profile::paths
constexpr uint32_t kNone = 0xffffffff;

struct Module {
    std::string path;               // as the process saw it
    std::vector<uint8_t> build_id;  // empty: the file has none
};

// Of a path what stands behind the last slash: what is left of a module's name when builds lie in different directories.
std::string file_name(const std::string& path);

struct Function {
    uint32_t module = kNone;  // index into Profile::modules; kNone: address in no known module
    uint64_t offset = 0;      // symbol-table address in the module (or the raw address without a module)
    std::string mangled;      // empty: no name in the trace
};

// Time of a set of activations. `*_ns` as measured, gaps taken out; `*_hook_ps` is the hooks' own cost in it, in picoseconds,
// summed apart so that traces with different hook costs merge; net = ns - hook_ps / 1000, signed when printed.
struct Cost {
    uint64_t self_ns = 0;
    uint64_t cumulative_ns = 0;
    uint64_t self_hook_ps = 0;
    uint64_t cumulative_hook_ps = 0;
    Picoseconds self_net_ps() const;
    Picoseconds cumulative_net_ps() const;
};

enum class Ending : uint8_t {
    kReturned,
    kUnwound,     // an exception, longjmp or the end of its thread is known to have left it
    kProvedDead,  // a later record cannot be if it were alive: when it ended is not known exactly
    kOpen,        // still active when the trace ends
};

// How many calls of a function FunctionStats::slowest keeps.
constexpr size_t kSlowestKept = 16;

// One call.
struct CallInstance {
    uint64_t start_ns = 0;     // monotonic clock of its host
    uint64_t duration_ns = 0;  // durations.h; of an open call what it had so far
    uint64_t elapsed_ns = 0;   // from its start to its end, whatever happened in between
    PathId path = kNone;
    uint32_t thread = kNone;  // index into Profile::threads
    Ending ending = Ending::kReturned;
};

// The first call of a function in each process, where that has ended.
struct FirstCalls {
    uint64_t processes = 0;
    uint64_t sum_ns = 0;
};

struct FunctionStats {
    uint64_t ncalls = 0;
    uint64_t primitive_calls = 0;
    uint64_t open_calls = 0;     // still active when the trace ends
    uint64_t unwound_calls = 0;  // left by an exception, longjmp or thread exit, not by returning
    Cost cost = {};              // cumulative: outermost activations only
    Durations durations = {};    // of all calls, nested ones too
    // False: a selection took some of the calls away, or others' in, and what the call paths do not tell is not known: `histogram`, `first`,
    // `slowest`, `open_calls` and `unwound_calls` are empty.
    bool distribution_known = true;
    Histogram histogram = {};    // of the same calls as `durations`
    FirstCalls first = {};
    std::vector<CallInstance> slowest = {};  // slowest_calls.h
};

// Recursion is judged per edge: `primitive_calls` and the cumulative time count activations of (caller, callee) that are not
// already active themselves.
struct Edge {
    FunctionId caller = kNone;  // kNone: called from no instrumented function
    FunctionId callee = kNone;
    uint64_t ncalls = 0;
    uint64_t primitive_calls = 0;
    Cost cost = {};
    Durations durations = {};
    bool distribution_known = true;  // false: `histogram` is empty, as in FunctionStats
    Histogram histogram = {};
};

// Where calls come from; told on request only (aggregate.h).
struct CallSite {
    enum class Kind : uint8_t {
        kInCaller,   // in the caller's code, or in its part of that of the function it is inlined into
        kInlined,    // the callee is inlined into the caller: the trace does not have where
        kElsewhere,  // in code without hooks: a library that calls back, or what calls when nothing instrumented does
    };
    uint32_t module = kNone;  // index into Profile::modules; kNone: not known
    uint64_t offset = 0;      // symbol-table address of the instruction after the call
    Kind kind = Kind::kInCaller;
};

// A node of the calling-context tree. cumulative_ns = self_ns + sum of the children's cumulative_ns, exactly.
// Parents stand before their children.
struct CallPath {
    PathId parent = kNone;
    FunctionId function = kNone;
    uint64_t ncalls = 0;
    Cost cost = {};
    Durations durations = {};
    uint32_t site = kNone;  // index into Profile::call_sites; kNone: not asked for, or not known
};

// What is known of a process whose trace has no end record.
enum class Fate : uint8_t {
    kEnded,    // it has one
    kRunning,  // the process is still there, and this is its present program
    kGone,     // killed, _exit or exec
    kUnknown,  // any of these: it ran on another machine or before this one was started again
};

struct Process {
    uint64_t pid = 0;
    uint64_t parent_pid = 0;
    std::string program;  // path of the executable
    std::string host;
    std::array<uint8_t, 16> boot_id{};  // times of the monotonic clock compare within one boot only
    std::vector<std::string> arguments;
    std::string trace;               // path of the trace file it was read from
    uint64_t wall_start_unix_ns = 0; // wall clock when recording started
    uint64_t start_ns = 0;           // the same moment on the host's monotonic clock
    uint64_t end_ns = 0;             // the last thing known of it, monotonic clock
    bool clock_counts_ns = false;    // by CLOCK_MONOTONIC instead of the processor's time stamp counter
    uint64_t clock_step_ps = 0;      // smallest difference that the trace's clock can show
    uint64_t hook_inner_ps = 0;      // one call's hook cost inside the function, and in its caller
    uint64_t hook_outer_ps = 0;
    bool ended = false;              // the trace holds the end record that the process itself wrote
    Fate fate = Fate::kUnknown;
    uint64_t process_start = 0;      // with boot_id and pid it names the process, across exec too
    uint32_t image = 0;              // traced programs that the process ran before this one
    uint64_t fork_parent_pid = 0;    // forked without exec: from this process, or a descendant of it without a trace; 0: not so
    uint64_t fork_parent_start = 0;
    std::vector<FunctionId> fork_stack;  // the calls active at the fork, outermost first; empty: not known
    bool marks_on = false;
    std::vector<uint32_t> modules;   // ascending indices into Profile::modules: those with functions in this profile
};

struct Thread {
    uint32_t process = kNone;  // index into Profile::processes
    uint32_t serial = 0;       // order of the thread's first record in its process, from 1
    int32_t tid = 0;
    std::string name;
    uint64_t start_ns = 0;  // first and last record, monotonic clock
    uint64_t end_ns = 0;
    uint64_t ncalls = 0;
    uint64_t busy_ns = 0;  // time inside instrumented functions
    uint64_t gap_ns = 0;   // time that fnprof itself took: coding, waiting for the collector
    uint64_t lost_ns = 0;  // time of which records are missing
    uint64_t lost_records = 0;
    uint64_t torn_records = 0;
    uint64_t unmatched_exits = 0;
    Activity activity = {};  // empty unless it was asked for
};

// Calls, and time in themselves.
struct Weight {
    uint64_t calls = 0;
    uint64_t self_ns = 0;
    uint64_t self_hook_ps = 0;

    Weight& operator+=(const Weight& other);
    Weight& operator-=(const Weight& other);
    Picoseconds self_net_ps() const;
    bool operator==(const Weight&) const = default;
};

// Something that the user had left out of the profile.
struct Reduction {
    std::string what;   // in the user's terms: "focus 'parse'"
    Weight before;
    Weight after;
    Weight folded;      // calls that are no calls of their own any more, and their time, which their callers have
    std::string note = {};  // how it was done, where that is not in the words
};

struct Integrity {
    bool complete = true;             // nothing that was recorded is missing
    uint64_t lost_records = 0;        // dropped by policy or because the file could not be written
    uint64_t torn_records = 0;        // claimed and never committed
    uint64_t damaged_blocks = 0;      // blocks of a trace that could not be used
    uint64_t missing_chunks = 0;      // gaps in the numbering of some thread's chunks
    uint64_t open_frames = 0;         // still active at the end
    uint64_t unmatched_exits = 0;     // exits without an enter on their stack
    uint64_t unended_processes = 0;   // traces without an end record
    uint64_t live_records = 0;        // records read from a live file
    std::vector<std::string> remarks; // what a user should know, one sentence each
};

struct Profile {
    std::vector<Module> modules;
    std::vector<Function> functions;
    std::vector<FunctionStats> stats;  // by FunctionId
    std::vector<Edge> edges;           // sorted by (caller, callee)
    std::vector<CallPath> paths;
    std::vector<CallSite> call_sites;  // where asked for, paths with different ones are different
    std::vector<Process> processes;
    std::vector<Thread> threads;
    Integrity integrity;
    std::vector<Reduction> reductions;  // in the order in which they were made; one's `after` is the next one's `before`

    uint64_t total_calls() const;
    uint64_t primitive_calls() const;
    Picoseconds total_net_ps() const;  // sum of net self time over functions
    uint64_t total_self_ns() const;
    uint64_t wall_ns() const;      // latest end - earliest start; by the wall clock if the processes are of several boots
    const Process* first_process() const;  // the one that started first, by the wall clock; null: there is none
};

}  // namespace fnprof::model
