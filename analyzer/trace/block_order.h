// In which order the blocks of a trace are delivered, and which are left out because their chunks are there already.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "trace/diagnostics.h"

namespace fnprof::trace {

// A block of records, wherever it is.
struct BlockEntry {
    uint32_t thread = 0;
    uint64_t first_chunk = 0;
    uint32_t chunk_count = 0;
    bool from_file = true;  // in the trace file proper; else a late area or the live file
    bool live = false;      // the latter
    size_t index = 0;       // among the frames, or among the coded chunks
};

// Each thread's blocks in the order of their numbers, in the places that the file's order gives to the thread. Numbers that are
// missing or there twice are entered in the diagnostics. Of blocks that claim the same numbers one may be damaged, its claim
// included: `sound` is asked about those, and only about those.
std::vector<BlockEntry> order_blocks(const std::vector<BlockEntry>& entries, const std::function<bool(const BlockEntry&)>& sound,
                                     Diagnostics& diagnostics);

}  // namespace fnprof::trace
