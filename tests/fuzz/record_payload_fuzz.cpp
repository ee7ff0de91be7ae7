// Any bytes as a record payload; as slots, which must come back as they are; and as damage to the payload of those slots.
//
// Input: one byte n, n times (two bytes position, one byte change), slots of 24 bytes.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>

#include "format/decoder.h"
#include "format/encoder.h"

namespace {

using namespace fnprof::format;

void decode_any(const uint8_t* data, size_t size) {
    DecodedBlock block;
    const DecodeStatus status = decode_block(data, size, block);
    if (status.offset > size) std::abort();
    for (const Event& event : block.events) {
        if (event.symbol >= block.symbols.size()) std::abort();
    }
}

void check_round_trip(const std::vector<Slot>& slots, const std::vector<uint8_t>& payload) {
    DecodedBlock block;
    if (!decode_block(payload.data(), payload.size(), block)) std::abort();
    size_t at = 0;
    for (const Slot& slot : slots) {
        if (ticks_of(slot.time_word) == 0 || kind_of(slot.time_word) == Kind::kNone) continue;
        if (at == block.events.size()) std::abort();
        const Event& event = block.events[at++];
        const Symbol& symbol = block.symbols.at(event.symbol);
        if (event.time_word != slot.time_word || event.stack != stack_of(slot) || symbol.function != function_of(slot) ||
            symbol.call_site != site_of(slot)) {
            std::abort();
        }
    }
    if (at != block.events.size()) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    decode_any(data, size);
    if (size == 0) return 0;
    const size_t changes = data[0] % 16;
    const size_t head = 1 + 3 * changes;
    if (size < head) return 0;
    std::vector<Slot> slots(std::min<size_t>((size - head) / sizeof(Slot), kMaxRecordsPerBlock));
    if (!slots.empty()) std::memcpy(slots.data(), data + head, slots.size() * sizeof(Slot));
    static const std::unique_ptr<EncoderWorkspace> workspace(new EncoderWorkspace{});
    std::vector<uint8_t> payload(encoded_bound(static_cast<uint32_t>(slots.size())));
    std::vector<ChunkInput> chunks;
    for (size_t at = 0; at < slots.size() || chunks.empty(); at += kSlotsPerChunk) {
        chunks.push_back({slots.data() + at, static_cast<uint32_t>(std::min<size_t>(slots.size() - at, kSlotsPerChunk)), 0});
    }
    const EncodeResult result = encode_block(*workspace, chunks.data(), static_cast<uint32_t>(chunks.size()), TornPolicy::kSkip,
                                             payload.data(), payload.size());
    if (result.refused) std::abort();
    payload.resize(result.payload_bytes);
    check_round_trip(slots, payload);
    for (size_t i = 0; i < changes; ++i) {
        const uint8_t* change = data + 1 + 3 * i;
        payload[(change[0] + 256u * change[1]) % payload.size()] ^= change[2];
    }
    decode_any(payload.data(), payload.size());
    return 0;
}
