// The live file: where rings live, so that what was recorded survives any death of the process.
//
// Context: slow path, collector; init for start_live_file.
#pragma once

#include "../format/layout.h"
#include "identity.h"
#include "output.h"
#include <cstdint>

namespace fnprof::rt {

struct RingArea {
    format::Chunk* chunks;  // null: no memory
    format::ChunkState* states;
    uint64_t live_offset;  // of chunks[0] in the file
    uint32_t in_memory;    // anonymous memory stands in for the file
};

// Writes the header into output.live_fd; from then on ring areas go there, and the descriptor is looked after. Without a usable live
// file they go to anonymous memory.
void start_live_file(Output& output, const ProcessIdentity& identity);
void forget_live_file();  // in a forked child: it is the parent's
bool live_file_on();

RingArea map_ring_area(uint32_t chunk_count);

// Reserves disk blocks: stores into a sparse mapping of a full file system would end the program with SIGBUS.
bool reserve_live(uint64_t offset, uint64_t bytes);

// Records that were dropped, or are in neither file any more. The live file says so, should there be no end record to say it.
// Context: any with signals blocked.
void count_lost_in_live(uint64_t records);

// The trace is complete without it.
void remove_live_file(const Output& output);

}  // namespace fnprof::rt
