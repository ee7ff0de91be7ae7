// Chunks that nobody coded before the process died or after fnprof's end: from the live file and from late areas. They are
// coded here, as the process would have done, so that all records take one way through the reader and many rings stay small.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "format/encoder.h"
#include "format/layout.h"

namespace fnprof::trace {

struct CodedChunk {
    uint32_t thread = 0;
    uint64_t number = 0;
    uint32_t record_count = 0;
    uint32_t torn_count = 0;
    uint64_t first_ticks = 0;  // least and greatest time
    uint64_t last_ticks = 0;
    bool late = false;
    uint64_t frame_offset = 0;  // of late areas
    uint64_t frame_bytes = 0;
    uint32_t slot_count = 0;  // of late areas: their room
    bool stored = true;  // false: the live file does not have it, and the payload is empty; record_count: slots that were claimed
    std::vector<uint8_t> payload;  // of a record block
};

class RawChunkCoder {
  public:
    // Slots of a chunk still in use: those after the last committed one were not claimed, or only just. Else all were claimed.
    CodedChunk code(std::span<const format::Slot> slots, uint64_t stale_ticks, bool still_in_use);

  private:
    std::unique_ptr<format::EncoderWorkspace> workspace_;  // made for the first chunk: most traces have none
    std::vector<uint8_t> payload_;
};

}  // namespace fnprof::trace
