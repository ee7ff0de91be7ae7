// The control page: the few words that the hooks of one thread touch, and the way from a thread to them.
//
// One private page per thread, MADV_WIPEONFORK: in the child of any fork, raw ones included, it reads as zeros, so that the
// first hook there takes the slow path and registers anew instead of writing into rings that belong to the parent.
#pragma once

#include "../format/layout.h"
#include "counter_estimate.h"
#include <cstddef>
#include <cstdint>

namespace fnprof::rt {

struct Ring;

struct Control {
    // Hooks: address of the next slot. Runs past `limit` when the chunk is full.
    uint64_t cursor;
    // Hooks: end of the chunk that the thread owns; 0 = it owns none (not yet, full ring, switched off, ended).
    // Invariant: a claim belongs to the thread exactly when limit - kChunkSpan <= claim < limit.
    uint64_t limit;
    // Slow path only.
    Ring* ring;
    uint64_t lost;  // records dropped since the last gap record
    uint64_t lost_since_ticks;
    CounterEstimate estimate;  // of a thread that must not read the clock
};

constexpr uint64_t kChunkSpan = uint64_t{format::kSlotsPerChunk} * sizeof(format::Slot);

// The ownership test. `limit` must have been loaded after the claim was made: a signal handler between the two may have
// switched the chunk, and then the claim belongs to nobody.
constexpr bool owns(uint64_t limit, uint64_t claim) { return limit - claim - 1 < kChunkSpan; }

// Null until the thread's first hook. Initial-exec: one load relative to the thread pointer, never a call into the loader.
extern __thread Control* t_control __attribute__((tls_model("initial-exec"), visibility("hidden")));

// In its place in a thread that must not read the time stamp counter: with t_control null the hooks leave every record to
// record_slowly. Invariant: at most one of the two is set, but for moments with signals blocked.
extern __thread Control* t_slow_control __attribute__((tls_model("initial-exec"), visibility("hidden")));

// The control page of a thread that could not be given a ring. Never owns a slot, and there is no Ring behind it; it is not tried again,
// so that the thread's calls cost little and are counted as lost.
extern Control g_mute __attribute__((visibility("hidden")));

inline Control* own_control() { return t_control != nullptr ? t_control : t_slow_control; }

}  // namespace fnprof::rt
