#include "late_area.h"

#include "bytes.h"
#include "clock.h"
#include "sink.h"
#include "sys.h"

namespace fnprof::rt {

using namespace format;

namespace {

struct LateHead {
    uint32_t frame_magic;
    uint32_t frame_bytes;
    LateAreaHeader area;
};
static_assert(sizeof(LateHead) == 40);

// An area is a little smaller than a chunk, so that owns() (control.h) holds for it as well. 2,728 slots.
constexpr uint32_t kLateSlots = (kChunkBytes - sizeof(LateHead)) / sizeof(Slot);
constexpr uint64_t kAreaBytes = sizeof(LateHead) + kLateSlots * sizeof(Slot);
static_assert(kLateSlots < kSlotsPerChunk);

// Threads that run on while the process ends could fill the disk; after this many areas (16 MiB) their records are dropped.
constexpr uint32_t kMaxAreas = 256;
// A thread at full speed fills an area in 40 us, and the end may be kept waiting for a processor: after so many they come slowly.
constexpr uint32_t kUnhurriedAreas = 32;
constexpr uint64_t kPauseNs = 1'000'000;
std::atomic<uint32_t> g_areas{0};

}  // namespace

bool open_late_area(Ring& ring) {
    Control& control = *ring.control;
    __atomic_store_n(&control.limit, 0, __ATOMIC_RELEASE);
    const uint32_t before = g_areas.fetch_add(1, std::memory_order_relaxed);
    if (before >= kMaxAreas) return false;
    if (before >= kUnhurriedAreas) sys::sleep_ns(kPauseNs);
    LateHead head{kLateAreaFrame, static_cast<uint32_t>(kAreaBytes - 8), {kRingMagic, kLateSlots, ring.thread.serial, ring.thread.tid, {0, ring.next_number}}};
    uint64_t offset = extend_sink(reinterpret_cast<const uint8_t*>(&head), sizeof head, kAreaBytes);
    if (offset == 0) return false;
    ring.next_number++;
    uint64_t page_offset = offset / kPageBytes * kPageBytes;
    long mapped = sys::mmap(nullptr, offset - page_offset + kAreaBytes, sys::kProtRead | sys::kProtWrite, sys::kMapShared,
                            sink_output().fd, page_offset);
    if (sys::failed(mapped)) return false;
    uint64_t slots = static_cast<uint64_t>(mapped) + (offset - page_offset) + sizeof head;
    // owns() takes a claim for the thread's up to kChunkSpan below the limit: the area's own slots and what lies just before
    // them, which no claim can reach, since the cursor starts at the first slot and only grows.
    __atomic_store_n(&control.cursor, slots, __ATOMIC_RELEASE);
    __atomic_store_n(&control.limit, slots + kLateSlots * sizeof(Slot), __ATOMIC_RELEASE);
    return true;
}

}  // namespace fnprof::rt
