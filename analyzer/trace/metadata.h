// Everything in a trace that is not a record: the process, its modules, threads and function names, the clock.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "format/layout.h"
#include "trace/diagnostics.h"
#include "trace/name_table.h"

namespace fnprof::trace {

struct Process {
    format::ProcessItem facts{};
    std::string executable;
    std::string working_directory;
    std::string host;
    std::vector<std::string> arguments;
};

struct ModuleLoad {
    static constexpr uint64_t kStillLoaded = std::numeric_limits<uint64_t>::max();

    uint32_t id = 0;
    std::string path;
    std::vector<uint8_t> build_id;
    uint64_t bias = 0;
    uint64_t start = 0;
    uint64_t end = 0;
    uint64_t load_ticks = 0;
    uint64_t unload_ticks = kStillLoaded;
};

struct ThreadFacts {
    uint32_t serial = 0;
    int32_t tid = 0;
    uint64_t start_ticks = 0;
    uint64_t end_ticks = 0;  // 0: not known to have ended
    uint64_t lost_records = 0;
    std::string name;
    uint64_t stack_low = 0;  // between these addresses lies the thread's own stack and nothing else; 0, 0: not known
    uint64_t stack_high = 0;
};

// What a recovered trace had before it was written anew and does not show any more. All zeros in others.
struct Recovery {
    bool live_file_read = false;
    bool truncated = false;
    uint64_t live_record_count = 0;
    uint64_t damaged_count = 0;
    uint64_t duplicate_chunk_count = 0;
    uint64_t missing_chunk_count = 0;
    std::vector<MissingChunks> missing_chunks;  // of them, those that are told
};

struct Metadata {
    Process process;
    bool has_process = false;  // false: the first block was lost, `process` is empty
    format::ClockKind clock_kind = format::ClockKind::kTsc;
    uint64_t step_milliticks = 0;                // 0: not known
    std::vector<format::ClockPair> clock_pairs;  // sorted by ticks
    uint64_t hook_inner_ps = 0;
    uint64_t hook_outer_ps = 0;
    std::vector<ModuleLoad> modules;  // in the order of the file
    NameTable names;
    std::vector<ThreadFacts> threads;  // sorted by serial
    std::optional<format::EndItem> end;  // the process's own, or that of a recovery
    Recovery recovery;
    std::vector<std::string> notices;
    bool marks_missing = false;  // of some modules, whatever the process's flag says

    // Whether the process itself wrote its end.
    bool ended() const { return end && end->reason != static_cast<uint32_t>(format::EndReason::kRecovered); }
};

}  // namespace fnprof::trace
