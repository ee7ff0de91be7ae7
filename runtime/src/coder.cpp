#include "coder.h"

#include "memory.h"
#include "metadata.h"
#include "lifecycle.h"
#include "sink.h"
#include "frame.h"
#include "../format/encoder.h"

namespace fnprof::rt {

using namespace format;

namespace {

// Everything that coding one block needs; a few megabytes, of which a usual block touches a few hundred KiB.
struct Coder {
    std::atomic<uint32_t> in_use;
    EncoderWorkspace workspace;
    FrameWriter frames;
    uint8_t payload[encoded_bound(kMaxRecordsPerBlock)];
    alignas(64) uint8_t frame[frame_bound(encoded_bound(kMaxRecordsPerBlock))];
};

// As many as can be of use at the same time: more threads than this wait for one another.
constexpr uint32_t kMaxCoders = 64;
std::atomic<Coder*> g_coders[kMaxCoders];
std::atomic<uint32_t> g_coder_limit{0};

// Those online, not those that the asking thread is bound to. The file reads "0-3,8\n".
uint32_t processors() {
    char text[256];
    const long fd = sys::open("/sys/devices/system/cpu/online", sys::kORdonly);
    if (sys::failed(fd)) return kMaxCoders;
    const long length = sys::read(static_cast<int>(fd), text, sizeof text);
    sys::close(static_cast<int>(fd));
    uint32_t count = 0, number = 0, first = 0;
    bool range = false;
    for (long i = 0; i < length; i++) {
        const char c = text[i];
        if (c >= '0' && c <= '9') {
            number = number * 10 + static_cast<uint32_t>(c - '0');
            continue;
        }
        if (c == '-') {
            first = number;
        } else {
            count += range ? number - first + 1 : 1;
        }
        range = c == '-';
        number = 0;
    }
    return count != 0 ? count : kMaxCoders;
}

uint32_t coder_limit() {
    uint32_t limit = g_coder_limit.load(std::memory_order_relaxed);
    if (limit != 0) return limit;
    limit = processors() + 1 < kMaxCoders ? processors() + 1 : kMaxCoders;
    g_coder_limit.store(limit, std::memory_order_relaxed);
    return limit;
}

// A coder for the caller alone. Null: all are in use (`none_at_all` false), or there is not one (no memory).
Coder* take_coder(bool& none_at_all) {
    none_at_all = true;
    for (uint32_t i = 0; i < coder_limit(); i++) {
        Coder* coder = g_coders[i].load(std::memory_order_acquire);
        if (coder == nullptr) {
            auto* fresh = static_cast<Coder*>(map_pages(sizeof(Coder)));
            if (fresh == nullptr) return nullptr;
            if (!fresh->frames.start(settings().compression)) {
                sys::munmap(fresh, sizeof(Coder));
                return nullptr;
            }
            fresh->in_use.store(1, std::memory_order_relaxed);
            if (g_coders[i].compare_exchange_strong(coder, fresh, std::memory_order_acq_rel)) return fresh;
            sys::munmap(fresh, sizeof(Coder));  // another thread was quicker: `coder` is its
        }
        none_at_all = false;
        uint32_t free = 0;
        if (coder->in_use.compare_exchange_strong(free, 1, std::memory_order_acquire)) return coder;
    }
    return nullptr;
}

void give_back(Coder* coder) { coder->in_use.store(0, std::memory_order_release); }

// The published chunks that make up the next block: consecutive, of one thread.
uint32_t next_block(const Ring& ring, uint64_t coded, uint64_t published, ChunkInput* inputs) {
    uint32_t count = 0;
    uint32_t thread = ring.state_at(coded).thread;
    while (count < ring.block_chunks() && coded + count < published && ring.state_at(coded + count).thread == thread) {
        const Chunk& chunk = ring.chunk_at(coded + count);
        inputs[count] = {chunk.slots, ring.state_at(coded + count).used_slots, chunk.header.stale_ticks};
        count++;
    }
    return count;
}

// Chunks are given back only now that their records are in the file. Where the file takes no more they are given back all the same,
// but not as free ones: until its thread writes it again a chunk stands in the live file, which is kept then.
// `last_ticks`: the greatest time of their records.
void free_chunks(Ring& ring, uint64_t coded, uint32_t count, uint64_t last_ticks, bool in_file) {
    for (uint32_t i = 0; i < count; i++) {
        note_latest(ring, coded + i, last_ticks);
        if (in_file) __atomic_store_n(&ring.state_at(coded + i).use, static_cast<uint32_t>(ChunkUse::kFree), __ATOMIC_RELEASE);
    }
    ring.coded.store(coded + count, std::memory_order_seq_cst);
    ring.space.fetch_add(1, std::memory_order_seq_cst);
    // Pairs with make_room: either the waiter sees the new `space`, or this sees that it waits.
    if (ring.waiting.load(std::memory_order_seq_cst) != 0) sys::futex_wake(reinterpret_cast<uint32_t*>(&ring.space), 1);
}

// A block with a torn slot is left for later while there is time: an interrupted hook may still commit it. In a ring of four chunks
// the block is due when there is no more than one chunk free: that must be time enough.
// Covered by e2e.hazards.handlers_in_the_hook_lose_nothing_in_the_smallest_ring.
bool can_wait(const Ring& ring, uint64_t coded) {
    constexpr uint64_t kMostRoomLeft = 4;
    const uint64_t quarter = ring.chunk_count / 4;
    const uint64_t room_left = quarter <= kMostRoomLeft ? quarter - 1 : kMostRoomLeft;
    return ring.opened.load(std::memory_order_relaxed) - coded + room_left < ring.chunk_count;
}

CodeOutcome code_with(Coder& coder, Ring& ring, CodeMode mode) {
    uint64_t coded = ring.coded.load(std::memory_order_relaxed);
    uint64_t published = ring.published.load(std::memory_order_acquire);
    if (coded == published) return CodeOutcome::kNothing;
    ChunkInput inputs[kMaxChunksPerBlock];
    uint32_t count = next_block(ring, coded, published, inputs);
    TornPolicy torn = mode == CodeMode::kWhenDue && can_wait(ring, coded) ? TornPolicy::kRefuse : TornPolicy::kSkip;
    EncodeResult encoded = encode_block(coder.workspace, inputs, count, torn, coder.payload, sizeof coder.payload);
    if (encoded.refused) {
        ring.refused.store(published, std::memory_order_relaxed);
        return CodeOutcome::kNothing;
    }

    const ChunkState& first = ring.state_at(coded);
    BlockHeader header{};
    header.magic = kBlockMagic;
    header.version = kVersion;
    header.kind = static_cast<uint8_t>(BlockKind::kRecords);
    header.header_bytes = sizeof header;
    header.payload_bytes = encoded.payload_bytes;
    header.thread = first.thread;
    header.first_chunk = first.number;
    header.chunk_count = count;
    header.record_count = encoded.record_count;
    header.torn_count = encoded.torn_count;
    header.first_ticks = encoded.first_ticks;
    header.last_ticks = encoded.last_ticks;
    size_t bytes = coder.frames.write(header, encoded.columns, encoded.column_count, coder.frame, sizeof coder.frame);
    const bool in_file = append_frame(header, coder.frame, bytes);
    note_functions(coder.workspace, encoded, inputs, count);
    free_chunks(ring, coded, count, encoded.last_ticks, in_file);
    return CodeOutcome::kCoded;
}

}  // namespace

CodeOutcome code_block(Ring& ring, CodeMode mode) {
    if (!ring.coder_lock.try_lock()) return CodeOutcome::kBusy;
    bool none_at_all;
    Coder* coder = take_coder(none_at_all);
    CodeOutcome outcome = coder != nullptr ? code_with(*coder, ring, mode) : none_at_all ? CodeOutcome::kFailed : CodeOutcome::kBusy;
    if (coder != nullptr) give_back(coder);
    ring.coder_lock.unlock();
    return outcome;
}

void reserve_coder() {
    bool none_at_all;
    if (Coder* coder = take_coder(none_at_all)) give_back(coder);
}

void forget_coders() {
    for (auto& slot : g_coders)
        if (Coder* coder = slot.load(std::memory_order_relaxed)) coder->in_use.store(0, std::memory_order_relaxed);
}

}  // namespace fnprof::rt
