// The live file beside a trace: the rings of a process that has died, or still runs.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "format/layout.h"
#include "trace/diagnostics.h"
#include "trace/raw_chunk.h"
#include "trace/source.h"

namespace fnprof::trace {

struct FreedChunk {
    uint32_t thread = 0;
    uint64_t number = 0;
    uint64_t offset = 0;  // of its bytes
};

struct LiveFile {
    format::LiveHeader header{};
    bool cut = false;                // it ends within a chunk, of which nothing was read
    std::vector<CodedChunk> chunks;  // open and published ones, also those that the file has no bytes of
    std::vector<FreedChunk> freed;   // whose records are in the trace file
};

// Empty when it is not a live file, or one of a later version (a remark says so), or not yet begun. To be called before the trace
// file is read: what leaves the rings in between is then in the trace file.
std::optional<LiveFile> read_live_file(const Source& source, RawChunkCoder& coder, Diagnostics& diagnostics);

// Whether a freed chunk still holds records. (A thread that dies while it takes a chunk leaves one that has a new name and none.)
bool holds_records(const Source& source, const FreedChunk& chunk);

// Whether the rings belong to the process that wrote a trace.
bool belongs_to(const format::LiveHeader& live, const format::ProcessItem& process);

}  // namespace fnprof::trace
