// From where a block is to its records. One thread at a time.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "format/decoder.h"
#include "trace/block_order.h"
#include "trace/diagnostics.h"
#include "trace/frame_decoder.h"
#include "trace/frame_index.h"
#include "trace/raw_chunk.h"
#include "trace/record_block.h"
#include "trace/source.h"

namespace fnprof::trace {

class BlockReader {
  public:
    explicit BlockReader(Source source) : source_(std::move(source)) {}

    const Source& source() const { return source_; }

    // What the entries of read() refer to.
    std::vector<BlockFrame> frames;
    std::vector<CodedChunk> chunks;

    // The payload of a frame, valid until the next call; nullopt and a reason when it is damaged.
    std::optional<std::span<const uint8_t>> payload(const BlockFrame& frame, std::string& reason);

    // The bytes of the file in that place; empty when they are not there any more. Valid until the next call.
    std::span<const uint8_t> bytes(uint64_t offset, uint64_t count);

    // Fills `block`, of which nothing but the memory is kept. False: damaged, and `damage` says how. Each chunk can be read once.
    bool read(const BlockEntry& entry, RecordBlock& block, DamagedBlock& damage);

  private:
    bool read_frame(const BlockFrame& frame, RecordBlock& block, DamagedBlock& damage);
    bool read_chunk(CodedChunk& chunk, RecordBlock& block);

    Source source_;
    FrameDecoder frame_decoder_;
    format::BlockDecoder record_decoder_;
    std::vector<uint8_t> frame_;
};

}  // namespace fnprof::trace
