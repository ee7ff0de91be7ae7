// Where the blocks of a trace file are: one pass over its frames, which finds its way again after damage.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "format/layout.h"
#include "trace/diagnostics.h"
#include "trace/frame_decoder.h"
#include "trace/source.h"

namespace fnprof::trace {

struct BlockFrame {
    uint64_t offset = 0;
    uint64_t bytes = 0;
    FrameHeader header;
};

struct LateArea {
    uint64_t offset = 0;  // of its frame
    uint64_t bytes = 0;
    uint64_t slots_offset = 0;
    format::LateAreaHeader header{};
};

struct SeekTable {
    uint64_t entry_count = 0;  // blocks that the writer knew of
    uint64_t block_count = 0;  // blocks found in front of it, and behind the table before
};

struct FrameIndex {
    std::vector<BlockFrame> blocks;  // in the order of the file
    std::vector<LateArea> late_areas;
    std::optional<format::BlockHeader> cut;  // of the block within which the file ends, if its header is there
    std::vector<SeekTable> seek_tables;  // one, unless traces were put behind one another
};

// Throws TraceError when the file is not a trace that can be read here.
FrameIndex index_frames(const Source& source, Diagnostics& diagnostics);

}  // namespace fnprof::trace
