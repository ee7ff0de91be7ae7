// What the reader delivers.
#pragma once

#include <cstdint>

#include "format/decoder.h"

namespace fnprof::trace {

// Consecutive chunks of one thread.
struct RecordBlock {
    uint32_t thread = 0;       // serial number
    uint64_t first_chunk = 0;  // number within the thread
    uint32_t chunk_count = 0;
    uint32_t torn_count = 0;   // slots that were claimed and never committed
    bool live = false;         // from the live file: the process died (or runs on) before it was written
    bool late = false;         // made after fnprof's own end, by destructors and exit handlers
    format::DecodedBlock records;
};

}  // namespace fnprof::trace
