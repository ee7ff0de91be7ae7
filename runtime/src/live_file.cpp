#include "live_file.h"

#include "bytes.h"
#include "descriptor.h"
#include "file_growth.h"
#include "lock.h"
#include "own_descriptors.h"
#include "sys.h"
#include <atomic>

namespace fnprof::rt {

using namespace format;

namespace {

Output* g_output;  // null: rings are in memory
LiveHeader* g_header;
Lock g_lock;  // of the descriptor
std::atomic<uint64_t> g_end{0};

RingArea in_memory_area(uint32_t chunk_count) {
    long mapped = sys::mmap(nullptr, ring_area_bytes(chunk_count), sys::kProtRead | sys::kProtWrite,
                            sys::kMapPrivate | sys::kMapAnonymous | sys::kMapNoreserve, -1, 0);
    if (sys::failed(mapped)) return {nullptr, nullptr, 0, 1};
    auto* base = reinterpret_cast<uint8_t*>(mapped);
    return {reinterpret_cast<Chunk*>(base + ring_header_bytes(chunk_count)), reinterpret_cast<ChunkState*>(base + sizeof(RingHeader)), 0, 1};
}

// A copy-on-write file system takes new blocks for every rewritten page, reserved or not: a store into a mapping can run out of disk
// there at any time.
bool keeps_reserved_blocks(int fd) {
    constexpr uint64_t kBtrfs = 0x9123683e, kZfs = 0x2fc12fc1, kBcachefs = 0xca451a4e, kNilfs = 0x3434;
    const uint64_t type = sys::filesystem_type(fd);
    return type != kBtrfs && type != kZfs && type != kBcachefs && type != kNilfs;
}

// The live file's descriptor, opened again if need be; -1 when it cannot be had any more.
int usable_descriptor() {
    if (g_output == nullptr) return -1;
    Guard guard(g_lock);
    int& own = in_own_descriptor_table() ? g_output->collector_live_fd : g_output->live_fd;
    if (!is_file(own, g_output->live_dev, g_output->live_ino))
        own = reopen(g_output->live_path, g_output->live_dev, g_output->live_ino);
    return own;
}

}  // namespace

void start_live_file(Output& output, const ProcessIdentity& identity) {
    g_output = nullptr;
    if (output.live_fd < 0 || !keeps_reserved_blocks(output.live_fd) || !reserve_in_file(output.live_fd, 0, kPageBytes)) return;
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
    g_output = &output;
}

void forget_live_file() {
    g_lock.reset();
    g_output = nullptr;
}

bool live_file_on() { return g_output != nullptr; }

bool reserve_live(uint64_t offset, uint64_t bytes) {
    const int fd = usable_descriptor();
    return fd >= 0 && reserve_in_file(fd, offset, bytes);
}

RingArea map_ring_area(uint32_t chunk_count) {
    const int fd = usable_descriptor();
    if (fd < 0) return in_memory_area(chunk_count);
    uint64_t bytes = ring_area_bytes(chunk_count);
    uint64_t offset = g_end.fetch_add(bytes, std::memory_order_relaxed);
    // The states are reserved now, each chunk before its first use.
    if (!reserve_in_file(fd, offset, ring_header_bytes(chunk_count))) return in_memory_area(chunk_count);
    long mapped = sys::mmap(nullptr, bytes, sys::kProtRead | sys::kProtWrite, sys::kMapShared, fd, offset);
    if (sys::failed(mapped)) return in_memory_area(chunk_count);
    // Or each first touch of a page reads ahead, which fills 128 KiB of cache with zeros (measured on ext4: 3 ms a chunk instead of 0.15).
    sys::madvise(reinterpret_cast<void*>(mapped), bytes, sys::kMadvRandom);
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

void count_lost_in_live(uint64_t records) {
    if (live_file_on() && records != 0) __atomic_fetch_add(&g_header->lost_records, records, __ATOMIC_RELAXED);
}

void remove_live_file(const Output& output) {
    if (g_output == nullptr) return;
    sys::Stat stat;
    const bool ours = !sys::failed(sys::stat(output.live_path, &stat)) && stat.dev == output.live_dev && stat.ino == output.live_ino;
    if (ours) sys::unlink(output.live_path);
    g_output = nullptr;
}

}  // namespace fnprof::rt
