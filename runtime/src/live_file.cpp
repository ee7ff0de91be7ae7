#include "live_file.h"

#include "bytes.h"
#include "file_growth.h"
#include "sys.h"
#include <atomic>

namespace fnprof::rt {

using namespace format;

namespace {

int g_live_fd = -1;
LiveHeader* g_header;
std::atomic<uint64_t> g_end{0};

RingArea in_memory_area(uint32_t chunk_count) {
    long mapped = sys::mmap(nullptr, ring_area_bytes(chunk_count), sys::kProtRead | sys::kProtWrite,
                            sys::kMapPrivate | sys::kMapAnonymous | sys::kMapNoreserve, -1, 0);
    if (sys::failed(mapped)) return {nullptr, nullptr, 0, 1};
    auto* base = reinterpret_cast<uint8_t*>(mapped);
    return {reinterpret_cast<Chunk*>(base + ring_header_bytes(chunk_count)), reinterpret_cast<ChunkState*>(base + sizeof(RingHeader)), 0, 1};
}

}  // namespace

void start_live_file(const Output& output, const ProcessIdentity& identity) {
    g_live_fd = -1;
    if (output.live_fd < 0 || !reserve_in_file(output.live_fd, 0, kPageBytes)) return;
    long mapped = sys::mmap(nullptr, kPageBytes, sys::kProtRead | sys::kProtWrite, sys::kMapShared, output.live_fd, 0);
    if (sys::failed(mapped)) return;
    g_header = reinterpret_cast<LiveHeader*>(mapped);
    g_header->version = kVersion;
    g_header->header_bytes = kPageBytes;
    copy_bytes(g_header->boot_id, identity.boot_id, sizeof g_header->boot_id);
    g_header->pid = identity.pid;
    g_header->process_start = identity.process_start;
    g_header->trace_device = output.dev;
    g_header->trace_inode = output.ino;
    g_header->ring_bytes = kPageBytes;
    copy_bytes(g_header->magic, kLiveMagic, sizeof kLiveMagic);
    g_end.store(kPageBytes, std::memory_order_relaxed);
    g_live_fd = output.live_fd;
}

void forget_live_file() { g_live_fd = -1; }

bool live_file_on() { return g_live_fd >= 0; }

bool reserve_live(uint64_t offset, uint64_t bytes) { return g_live_fd >= 0 && reserve_in_file(g_live_fd, offset, bytes); }

RingArea map_ring_area(uint32_t chunk_count) {
    if (g_live_fd < 0) return in_memory_area(chunk_count);
    uint64_t bytes = ring_area_bytes(chunk_count);
    uint64_t offset = g_end.fetch_add(bytes, std::memory_order_relaxed);
    // The states are reserved now, each chunk before its first use.
    if (!reserve_live(offset, ring_header_bytes(chunk_count))) return in_memory_area(chunk_count);
    long mapped = sys::mmap(nullptr, bytes, sys::kProtRead | sys::kProtWrite, sys::kMapShared, g_live_fd, offset);
    if (sys::failed(mapped)) return in_memory_area(chunk_count);
    auto* base = reinterpret_cast<uint8_t*>(mapped);
    auto* header = reinterpret_cast<RingHeader*>(base);
    header->chunk_count = chunk_count;
    header->area_bytes = bytes;
    __atomic_store_n(&header->magic, kRingMagic, __ATOMIC_RELEASE);
    // Readers walk the areas up to here; a larger value may have been stored by another thread meanwhile.
    uint64_t end = offset + bytes;
    uint64_t seen = __atomic_load_n(&g_header->ring_bytes, __ATOMIC_RELAXED);
    while (seen < end &&
           !__atomic_compare_exchange_n(&g_header->ring_bytes, &seen, end, true, __ATOMIC_RELEASE, __ATOMIC_RELAXED)) {
    }
    return {reinterpret_cast<Chunk*>(base + ring_header_bytes(chunk_count)), reinterpret_cast<ChunkState*>(base + sizeof(RingHeader)),
            offset + ring_header_bytes(chunk_count), 0};
}

void remove_live_file(const Output& output) {
    if (g_live_fd < 0) return;
    sys::unlink(output.live_path);
    g_live_fd = -1;
}

}  // namespace fnprof::rt
