// A ring: the chunks that one thread at a time writes, and what is known of them. Chunks are handed out in order of position
// 0, 1, 2, ...; positions below `published` are complete, positions below `coded` are in the trace file and free again:
//
//     coded <= published <= opened <= coded + chunk_count,   opened - published <= 1
//
// Position p lies in the chunk with index chunk_count - 1 - p % chunk_count: downwards in memory, so that a claim that ran past
// the end of a chunk can never fall into the chunk that is opened next (see owns() in control.h; only at the wrap-around
// does the next chunk lie above, and then at least two chunks further up).
//
// Owner: the thread it is registered to (opened, thread facts). Coder: whoever holds coder_lock (coded). Rings are reused
// when their thread is dead, and never unmapped.
#pragma once

#include "../format/layout.h"
#include "control.h"
#include "lock.h"
#include "settings.h"
#include "thread_stack.h"
#include <atomic>
#include <cstdint>

namespace fnprof::rt {

// Facts of the thread that owns a ring; a snapshot goes into the trace when the ring changes hands and at the end.
struct ThreadFacts {
    uint32_t serial;  // from 1, our own: the kernel reuses its ids
    int32_t tid;
    uint64_t start_ticks;
    StackBounds stack;
    char name[16];
};

struct Ring {
    // Constant after creation.
    uint32_t chunk_count;
    uint32_t in_memory;  // no live file behind it
    format::Chunk* chunks;
    format::ChunkState* states;
    uint64_t live_offset;  // of chunks[0] in the live file
    uint8_t* stack_top;    // of the slow path's own stack
    Control* control;
    Ring* next;            // in the registry; written once before the ring is visible

    // Owner thread. switch_lock is held while it changes chunks; the end of the process takes it to do so in its place.
    alignas(64) ThreadFacts thread;
    Lock switch_lock;
    uint64_t next_number;     // of the thread's next chunk
    bool noted;               // the trace says who the thread is already, should the process be killed
    uint64_t total_lost;      // of this thread
    std::atomic<uint64_t> opened;
    std::atomic<uint64_t> published;
    std::atomic<uint64_t> backed;  // positions below have storage that can be written without SIGBUS
    uint64_t unstored[kMaxRingChunks / 64];  // a bit for each chunk that has memory in its storage's place

    // Coder.
    alignas(64) std::atomic<uint64_t> coded;
    Lock coder_lock;
    std::atomic<uint64_t> prepared;  // by the collector: the pages of positions below are there
    std::atomic<uint64_t> refused;  // `published` when a block with a torn slot was left for later: no use looking before it changes
    std::atomic<uint32_t> space;    // futex: changes whenever `coded` does
    std::atomic<uint32_t> waiting;  // the owner sleeps on `space`

    uint32_t index_of(uint64_t position) const {
        return chunk_count - 1 - static_cast<uint32_t>(position % chunk_count);
    }
    format::Chunk& chunk_at(uint64_t position) const { return chunks[index_of(position)]; }
    format::ChunkState& state_at(uint64_t position) const { return states[index_of(position)]; }
    // Chunks in one block of the trace: half the ring, so that one half can be coded while the other is written.
    uint32_t block_chunks() const;
    bool full() const {
        return opened.load(std::memory_order_relaxed) - coded.load(std::memory_order_acquire) >= chunk_count;
    }
};

// Maps a ring with its control page and stack; null when memory is refused. Context: slow path.
Ring* create_ring(uint32_t chunk_count);

// The ring that a control page was made for, also after the page was wiped by a fork. Context: any.
const Ring& ring_of(const Control& control);

// Reserves the storage of the chunk at `position`, so that stores into it cannot fault for want of disk space; false when there is
// no room. Context: owner and collector, concurrently.
bool reserve_chunk(Ring& ring, uint64_t position);

// The same, with memory in the storage's place where there is no room; false when there is none of that either. Context: owner.
bool back_chunk(Ring& ring, uint64_t position);

// Gives the chunk its pages, if this is its first use and the collector has not done so; false: nothing to do. A first touch costs a
// microsecond a page: together, here, they can be accounted for. Context: owner.
bool touch_chunk(Ring& ring, uint64_t position);

// Counts as lost what the ring alone still has and no file. Context: end, when all has been coded that can be.
void give_up_unstored(Ring& ring);

// Opens the next chunk for the owner. Requires !full() and that none is open. Context: owner, signals blocked.
void open_chunk(Ring& ring);

// Closes the open chunk, if there is one. The owner counts every slot that was claimed: one that is not committed belongs to a
// hook that a handler interrupted, and will be. Others count up to the last committed one: what stands behind it was
// claimed by a thread that is gone, or that has found out meanwhile that it does not own the chunk.
// Context: owner, or whoever knows that the owner is dead or stopped; signals blocked.
enum class Publisher { kOwner, kOther };
void publish_chunk(Ring& ring, Publisher by);

// The coder has seen records of the published chunk at `position` up to this time: a hook that a handler interrupted commits its own after
// the handler has filled and left the chunk. What is not later is nothing of the chunk's next use. Context: coder.
void note_latest(Ring& ring, uint64_t position, uint64_t ticks);

// Time of the newest committed record in the open chunk, 0 if it has none. Context: as publish_chunk.
uint64_t newest_ticks(const Ring& ring);

// Whether the owner may be inside the hook, about to commit a slot of the open chunk. `limit` has been zeroed: once the owner has
// come to its slow path it is not. True for ever of a slot that a handler jumped away from. Context: as publish_chunk.
bool may_commit_yet(const Ring& ring);

// The registry of all rings of this process image.
Ring* first_ring();
void add_ring(Ring& ring);
void forget_rings();  // in a forked child: they are the parent's

}  // namespace fnprof::rt
