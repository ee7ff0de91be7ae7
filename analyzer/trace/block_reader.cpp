#include "trace/block_reader.h"

namespace fnprof::trace {

std::span<const uint8_t> BlockReader::bytes(uint64_t offset, uint64_t count) {
    frame_.resize(static_cast<size_t>(count));
    if (source_.read(offset, frame_.data(), frame_.size()) != frame_.size()) return {};
    return frame_;
}

std::optional<std::span<const uint8_t>> BlockReader::payload(const BlockFrame& frame, std::string& reason) {
    const std::span<const uint8_t> whole = bytes(frame.offset, frame.bytes);
    if (whole.empty()) {
        reason = "the file was cut while it was read";
        return std::nullopt;
    }
    return frame_decoder_.payload(whole, frame.header, reason);
}

bool BlockReader::read(const BlockEntry& entry, RecordBlock& block, DamagedBlock& damage) {
    block.thread = entry.thread;
    block.first_chunk = entry.first_chunk;
    block.chunk_count = entry.chunk_count;
    return entry.from_file ? read_frame(frames[entry.index], block, damage) : read_chunk(chunks[entry.index], block);
}

bool BlockReader::read_frame(const BlockFrame& frame, RecordBlock& block, DamagedBlock& damage) {
    block.torn_count = frame.header.block.torn_count;
    block.live = block.late = false;
    damage = {frame.offset, frame.bytes, {}};
    const auto bytes = payload(frame, damage.reason);
    if (!bytes) return false;
    const format::DecodeStatus status = record_decoder_.decode(bytes->data(), bytes->size(), block.records);
    if (status && block.records.events.size() == frame.header.block.record_count) return true;
    damage.reason = status ? "record count differs from the header's"
                           : std::string(format::to_string(status.error)) + " at payload offset " + std::to_string(status.offset);
    return false;
}

bool BlockReader::read_chunk(CodedChunk& chunk, RecordBlock& block) {
    block.torn_count = chunk.torn_count;
    block.late = chunk.late;
    block.live = !chunk.late;
    const bool decoded = static_cast<bool>(record_decoder_.decode(chunk.payload.data(), chunk.payload.size(), block.records));
    std::vector<uint8_t>().swap(chunk.payload);
    return decoded;
}

}  // namespace fnprof::trace
