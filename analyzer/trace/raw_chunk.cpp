#include "trace/raw_chunk.h"

namespace fnprof::trace {

using namespace format;

CodedChunk RawChunkCoder::code(std::span<const Slot> slots, uint64_t stale_ticks, bool still_in_use) {
    if (!workspace_) {
        workspace_.reset(new EncoderWorkspace{});
        payload_.resize(encoded_bound(kSlotsPerChunk));
    }
    while (still_in_use && !slots.empty() && ticks_of(slots.back().time_word) <= stale_ticks) slots = slots.first(slots.size() - 1);
    const ChunkInput chunk{slots.data(), static_cast<uint32_t>(slots.size()), stale_ticks};
    const EncodeResult result = encode_block(*workspace_, &chunk, 1, TornPolicy::kSkip, payload_.data(), payload_.size());
    CodedChunk coded;
    coded.record_count = result.record_count;
    coded.torn_count = result.torn_count;
    coded.first_ticks = result.first_ticks;
    coded.last_ticks = result.last_ticks;
    coded.payload.assign(payload_.begin(), payload_.begin() + result.payload_bytes);
    return coded;
}

}  // namespace fnprof::trace
