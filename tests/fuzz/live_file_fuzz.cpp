// Any bytes as the chunks of a live file beside a sound trace: each chunk's state, header and slots are what the input says, so that
// it need not find the pages where they stand. Blocks, or words about what is missing, and never a chunk twice.
//
// Input: 64 bytes as chunk state and chunk header (and what is left of them), then up to kSlots slots, again and again.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <set>
#include <utility>
#include <vector>

#include "support/trace_builder.h"
#include "trace/trace_file.h"

using namespace fnprof;

namespace {

constexpr uint32_t kChunks = 4;
constexpr size_t kSlots = 8;
constexpr size_t kHead = 64;

const std::vector<uint8_t>& sound_trace(format::ProcessItem& process) {
    static const auto built = [] {
        testing::TraceBuilder trace;
        trace.process("app").clock_pair(0, 0).clock_pair(1000, 1000).metadata_block();
        trace.records(1, {testing::enter(0x1000, 0x2000, 0x7000, 10), testing::exit(0x1000, 0x2000, 0x7000, 20)});
        return std::pair(trace.bytes(), trace.process_item);
    }();
    process = built.second;
    return built.first;
}

std::vector<uint8_t> live_file(const format::ProcessItem& process, const uint8_t* data, size_t size) {
    testing::LiveFileBuilder builder(process);
    builder.add_ring(kChunks);
    std::vector<uint8_t> live = builder.bytes();
    for (uint32_t i = 0; i < kChunks && size > 0; ++i) {
        uint8_t head[kHead] = {};
        const size_t taken = std::min(size, kHead);
        std::memcpy(head, data, taken);
        data += taken;
        size -= taken;
        std::memcpy(live.data() + format::kPageBytes + sizeof(format::RingHeader) + i * sizeof(format::ChunkState), head,
                    sizeof(format::ChunkState));
        uint8_t* chunk = live.data() + format::kPageBytes + format::ring_header_bytes(kChunks) + size_t{i} * format::kChunkBytes;
        std::memcpy(chunk, head + sizeof(format::ChunkState), sizeof(format::ChunkHeader));
        const size_t slots = std::min(size, kSlots * sizeof(format::Slot));
        if (slots > 0) std::memcpy(chunk + sizeof(format::ChunkHeader), data, slots);
        data += slots;
        size -= slots;
    }
    // The rest says where the file ends.
    if (size >= 4) {
        uint32_t cut;
        std::memcpy(&cut, data, sizeof cut);
        live.resize(cut % (live.size() + 1));
    }
    return live;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    format::ProcessItem process{};
    const std::vector<uint8_t>& trace = sound_trace(process);
    trace::TraceFile file = trace::TraceFile::from_bytes(trace, "input", live_file(process, data, size));
    std::set<std::pair<uint32_t, uint64_t>> chunks;
    trace::RecordBlock block;
    while (file.next(block)) {
        if (!chunks.emplace(block.thread, block.first_chunk).second) std::abort();
        if (block.records.events.size() + block.torn_count > format::kSlotsPerChunk) std::abort();
        for (const format::Event& event : block.records.events) {
            if (event.symbol >= block.records.symbols.size()) std::abort();
        }
    }
    return 0;
}
