// Encode, decode, compare: each committed record must come back bit for bit and in order.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "format/decoder.h"
#include "format/encoder.h"

namespace fnprof::testing {

struct Coded {
    format::EncodeResult result;
    std::vector<uint8_t> payload;
};

inline format::EncoderWorkspace& workspace() {
    static const std::unique_ptr<format::EncoderWorkspace> shared(new format::EncoderWorkspace{});
    return *shared;
}

inline Coded encode(const std::vector<format::Slot>& slots, uint64_t stale_ticks = 0,
                    format::TornPolicy policy = format::TornPolicy::kSkip, format::EncoderWorkspace& work = workspace()) {
    std::vector<format::ChunkInput> chunks;
    for (size_t at = 0; at < slots.size() || chunks.empty(); at += format::kSlotsPerChunk) {
        const size_t used = std::min<size_t>(format::kSlotsPerChunk, slots.size() - at);
        chunks.push_back({slots.data() + at, static_cast<uint32_t>(used), stale_ticks});
    }
    Coded coded;
    coded.payload.resize(format::encoded_bound(static_cast<uint32_t>(slots.size())));
    coded.result = format::encode_block(work, chunks.data(), static_cast<uint32_t>(chunks.size()), policy, coded.payload.data(),
                                        coded.payload.size());
    coded.payload.resize(coded.result.payload_bytes);
    return coded;
}

inline bool committed(const format::Slot& slot, uint64_t stale_ticks) {
    return format::ticks_of(slot.time_word) > stale_ticks && format::kind_of(slot.time_word) != format::Kind::kNone;
}

// Number of the first committed slot that the block does not hold as it is; the number of committed slots when all are there.
inline size_t first_difference(const format::DecodedBlock& block, const std::vector<format::Slot>& slots, uint64_t stale_ticks) {
    size_t at = 0;
    for (const format::Slot& slot : slots) {
        if (!committed(slot, stale_ticks)) continue;
        if (at == block.events.size() || block.events[at].symbol >= block.symbols.size()) return at;
        const format::Event& event = block.events[at];
        const format::Symbol& symbol = block.symbols[event.symbol];
        if (event.time_word != slot.time_word || event.stack != format::stack_of(slot) || symbol.function != format::function_of(slot) ||
            symbol.call_site != format::site_of(slot)) {
            return at;
        }
        ++at;
    }
    return at;
}

inline void check_equal(const format::DecodedBlock& block, const std::vector<format::Slot>& slots, uint64_t stale_ticks = 0) {
    const auto count = std::count_if(slots.begin(), slots.end(), [&](const format::Slot& slot) { return committed(slot, stale_ticks); });
    CHECK(block.events.size() == static_cast<size_t>(count));
    CHECK(first_difference(block, slots, stale_ticks) == static_cast<size_t>(count));
}

inline Coded check_round_trip(const std::vector<format::Slot>& slots, uint64_t stale_ticks = 0) {
    const Coded coded = encode(slots, stale_ticks);
    REQUIRE_FALSE(coded.result.refused);
    format::DecodedBlock block;
    const format::DecodeStatus status = format::decode_block(coded.payload.data(), coded.payload.size(), block);
    INFO(format::to_string(status.error), " at ", status.offset);
    REQUIRE(status.error == format::DecodeError::kNone);
    CHECK(coded.result.record_count == block.events.size());
    check_equal(block, slots, stale_ticks);
    return coded;
}

}  // namespace fnprof::testing
