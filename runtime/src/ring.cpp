#include "ring.h"

#include "bytes.h"
#include "clock.h"
#include "live_file.h"
#include "sys.h"
#include "../format/codec.h"

namespace fnprof::rt {

using format::Chunk;
using format::ChunkState;
using format::ChunkUse;
using format::Slot;

namespace {

constexpr size_t kStackBytes = 65536;  // zstd's encoder needs 6 KiB, the rest of the slow path less
constexpr size_t kPage = format::kPageBytes;

std::atomic<Ring*> g_rings{nullptr};

void set_use(ChunkState& state, ChunkUse use) { __atomic_store_n(&state.use, static_cast<uint32_t>(use), __ATOMIC_RELEASE); }

}  // namespace

uint32_t Ring::block_chunks() const {
    uint32_t half = chunk_count / 2;
    return half < format::kMaxChunksPerBlock ? half : format::kMaxChunksPerBlock;
}

Ring* create_ring(uint32_t chunk_count) {
    // One mapping: guard page, stack, control page, Ring.
    constexpr size_t bytes = kPage + kStackBytes + kPage + kPage;
    static_assert(sizeof(Ring) <= kPage);
    long mapped = sys::mmap(nullptr, bytes, sys::kProtRead | sys::kProtWrite, sys::kMapPrivate | sys::kMapAnonymous, -1, 0);
    if (sys::failed(mapped)) return nullptr;
    auto* base = reinterpret_cast<uint8_t*>(mapped);
    sys::mprotect(base, kPage, sys::kProtNone);
    auto* control = reinterpret_cast<Control*>(base + kPage + kStackBytes);
    // Without it the child of a fork would write into this process's rings.
    if (sys::failed(sys::madvise(control, kPage, sys::kMadvWipeOnFork))) {
        sys::munmap(base, bytes);
        return nullptr;
    }
    auto* ring = reinterpret_cast<Ring*>(base + kPage + kStackBytes + kPage);

    ring->chunk_count = chunk_count;
    RingArea area = map_ring_area(chunk_count);
    if (area.chunks == nullptr) {
        sys::munmap(base, bytes);
        return nullptr;
    }
    ring->chunks = area.chunks;
    ring->states = area.states;
    ring->live_offset = area.live_offset;
    ring->in_memory = area.in_memory;
    ring->stack_top = base + kPage + kStackBytes;
    ring->control = control;
    control->ring = ring;
    if (ring->in_memory) ring->backed.store(~uint64_t{0}, std::memory_order_relaxed);
    return ring;
}

// The Ring lies in the page behind the control page.
const Ring& ring_of(const Control& control) {
    return *reinterpret_cast<const Ring*>(reinterpret_cast<const uint8_t*>(&control) + kPage);
}

namespace {

bool is_backed(const Ring& ring, uint64_t position) {
    // After the first lap every chunk has its storage.
    return position < ring.backed.load(std::memory_order_acquire) || position >= ring.chunk_count;
}

void note_backed(Ring& ring, uint64_t position) {
    uint64_t expected = position;
    ring.backed.compare_exchange_strong(expected, position + 1, std::memory_order_release, std::memory_order_relaxed);
}

}  // namespace

bool reserve_chunk(Ring& ring, uint64_t position) {
    if (is_backed(ring, position)) return true;
    const uint64_t offset = ring.live_offset + uint64_t{ring.index_of(position)} * format::kChunkBytes;
    if (!reserve_live(offset, format::kChunkBytes)) return false;
    note_backed(ring, position);
    return true;
}

bool back_chunk(Ring& ring, uint64_t position) {
    if (reserve_chunk(ring, position)) return true;
    long mapped = sys::mmap(&ring.chunk_at(position), format::kChunkBytes, sys::kProtRead | sys::kProtWrite,
                            sys::kMapPrivate | sys::kMapAnonymous | sys::kMapFixed, -1, 0);
    if (sys::failed(mapped)) return false;
    ring.unstored[ring.index_of(position) / 64] |= uint64_t{1} << ring.index_of(position) % 64;
    note_backed(ring, position);
    return true;
}

bool touch_chunk(Ring& ring, uint64_t position) {
    if (position >= ring.chunk_count || position < ring.prepared.load(std::memory_order_acquire)) return false;
    sys::madvise(&ring.chunk_at(position), format::kChunkBytes, sys::kMadvPopulateWrite);
    return true;
}

namespace {

// What a published chunk holds that the program did: all committed slots but gaps.
uint64_t records_in(const Chunk& chunk, const ChunkState& state) {
    uint64_t count = 0;
    for (uint32_t i = 0; i < state.used_slots; i++) {
        const uint64_t time_word = __atomic_load_n(&chunk.slots[i].time_word, __ATOMIC_RELAXED);
        count += format::ticks_of(time_word) > chunk.header.stale_ticks && format::kind_of(time_word) != format::Kind::kGap;
    }
    return count;
}

bool was_refused(const ChunkState& state) { return state.use == static_cast<uint32_t>(ChunkUse::kPublished); }

}  // namespace

void give_up_unstored(Ring& ring) {
    for (uint32_t i = 0; i < ring.chunk_count; i++) {
        const bool stored = ring.in_memory == 0 && (ring.unstored[i / 64] >> i % 64 & 1) == 0;
        if (stored || !was_refused(ring.states[i])) continue;
        count_lost_in_live(records_in(ring.chunks[i], ring.states[i]));
        set_use(ring.states[i], ChunkUse::kFree);
    }
}

void open_chunk(Ring& ring) {
    uint64_t position = ring.opened.load(std::memory_order_relaxed);
    Chunk& chunk = ring.chunk_at(position);
    ChunkState& state = ring.state_at(position);
    // Given back, but not as a free one: see free_chunks in coder.cpp.
    if (was_refused(state)) count_lost_in_live(records_in(chunk, state));
    // Everything that the last use of this chunk committed is older than the moment at which it was published, or was seen by the coder;
    // the margin is for a thread that published on another processor, whose clock may be some ten nanoseconds behind.
    constexpr uint64_t kClockSkewTicks = 1024;
    chunk.header.stale_ticks = position < ring.chunk_count ? 0 : state.changed_ticks + kClockSkewTicks;
    chunk.header.number = ring.next_number;
    state.number = ring.next_number++;
    state.thread = ring.thread.serial;
    state.tid = ring.thread.tid;
    state.used_slots = 0;
    state.changed_ticks = clock_ticks();
    set_use(state, ChunkUse::kOpen);
    ring.opened.store(position + 1, std::memory_order_release);

    // In this order: a handler can run between any two (never in between here, signals are blocked, but the end of the
    // process zeroes `limit` from another thread).
    Control* control = ring.control;
    __atomic_store_n(&control->limit, 0, __ATOMIC_RELEASE);
    __atomic_store_n(&control->cursor, reinterpret_cast<uint64_t>(chunk.slots), __ATOMIC_RELEASE);
    __atomic_store_n(&control->limit, reinterpret_cast<uint64_t>(&chunk + 1), __ATOMIC_RELEASE);
}

namespace {

// Slots of the open chunk that were claimed: all below the cursor, which runs past the end when the chunk is full.
uint32_t claimed_extent(const Control& control, const Chunk& chunk) {
    uint64_t claimed = (__atomic_load_n(&control.cursor, __ATOMIC_ACQUIRE) - reinterpret_cast<uint64_t>(chunk.slots)) / sizeof(Slot);
    return claimed < format::kSlotsPerChunk ? static_cast<uint32_t>(claimed) : format::kSlotsPerChunk;
}

// Of those, the slots up to the last committed one.
uint32_t committed_extent(const Control& control, const Chunk& chunk) {
    uint32_t extent = claimed_extent(control, chunk);
    while (extent != 0 && format::ticks_of(__atomic_load_n(&chunk.slots[extent - 1].time_word, __ATOMIC_ACQUIRE)) <= chunk.header.stale_ticks)
        extent--;
    return extent;
}

bool has_open_chunk(const Ring& ring) {
    return ring.opened.load(std::memory_order_relaxed) != ring.published.load(std::memory_order_relaxed);
}

}  // namespace

void publish_chunk(Ring& ring, Publisher by) {
    if (!has_open_chunk(ring)) return;
    uint64_t position = ring.published.load(std::memory_order_relaxed);
    ChunkState& state = ring.state_at(position);
    const Chunk& chunk = ring.chunk_at(position);
    state.used_slots = by == Publisher::kOwner ? claimed_extent(*ring.control, chunk) : committed_extent(*ring.control, chunk);
    state.changed_ticks = clock_ticks();
    set_use(state, ChunkUse::kPublished);
    ring.published.store(position + 1, std::memory_order_release);  // pairs with the acquire in code_with
}

void note_latest(Ring& ring, uint64_t position, uint64_t ticks) {
    ChunkState& state = ring.state_at(position);
    if (ticks > state.changed_ticks) state.changed_ticks = ticks;
}

uint64_t newest_ticks(const Ring& ring) {
    if (!has_open_chunk(ring)) return 0;
    const Chunk& chunk = ring.chunk_at(ring.published.load(std::memory_order_relaxed));
    uint32_t extent = committed_extent(*ring.control, chunk);
    return extent != 0 ? format::ticks_of(chunk.slots[extent - 1].time_word) : 0;
}

bool may_commit_yet(const Ring& ring) {
    if (!has_open_chunk(ring) || __atomic_load_n(&ring.control->limit, __ATOMIC_ACQUIRE) != 0) return false;
    const Chunk& chunk = ring.chunk_at(ring.published.load(std::memory_order_relaxed));
    return committed_extent(*ring.control, chunk) != claimed_extent(*ring.control, chunk);
}

Ring* first_ring() { return g_rings.load(std::memory_order_acquire); }

void add_ring(Ring& ring) {
    Ring* head = g_rings.load(std::memory_order_relaxed);
    do ring.next = head;
    while (!g_rings.compare_exchange_weak(head, &ring, std::memory_order_release, std::memory_order_relaxed));
}

void forget_rings() { g_rings.store(nullptr, std::memory_order_relaxed); }

}  // namespace fnprof::rt
