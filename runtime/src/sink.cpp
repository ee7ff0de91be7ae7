#include "sink.h"

#include "bytes.h"
#include "descriptor.h"
#include "diag.h"
#include "file_growth.h"
#include "lifecycle.h"
#include "lock.h"
#include "memory.h"
#include "own_descriptors.h"
#include "sys.h"

namespace fnprof::rt {

using namespace format;

namespace {

Output g_output;
Lock g_lock;
uint64_t g_end;  // the file is whole up to here
bool g_dead;     // nothing more will be written
SinkTotals g_totals;
GrowingMemory g_index;
uint64_t g_index_entries;
bool g_index_whole;
bool g_broken;   // some frame is not in the file
std::atomic<long> g_untold{0};  // why the file ended, as the collector found it

// The descriptor, opened again by path if need be and if the path still names our file; negative errno otherwise.
long usable_descriptor() {
    int& own = in_own_descriptor_table() ? g_output.collector_fd : g_output.fd;
    if (is_file(own, g_output.dev, g_output.ino)) return own;
    const int fd = reopen(g_output.path, g_output.dev, g_output.ino);
    if (fd < 0) return -sys::kEbadf;
    sys::lock_file(fd);  // closing the old one let go of it
    return own = fd;
}

// Writes everything or leaves the file as it was.
long write_whole(const uint8_t* from, size_t bytes) {
    long fd = usable_descriptor();
    if (sys::failed(fd)) return fd;
    size_t done = 0;
    while (done < bytes) {
        const long written = grow_file([=] { return sys::pwrite(static_cast<int>(fd), from + done, bytes - done, g_end + done); });
        if (written == -sys::kEintr) continue;
        if (written <= 0) {
            sys::ftruncate(static_cast<int>(fd), g_end);
            return written == 0 ? -sys::kEio : written;
        }
        done += static_cast<size_t>(written);
    }
    g_end += bytes;
    return 0;
}

void tell(long error) {
    DiagLine().add("cannot write ").add(g_output.path).add(": ").add_error(error).add("; the trace ends here, the program runs on").write();
}

void give_up(long error) {
    g_dead = true;
    if (in_own_descriptor_table())
        g_untold.store(error, std::memory_order_relaxed);
    else
        tell(error);
}

void index_frame(const BlockHeader& header, uint64_t offset, size_t bytes) {
    size_t at = g_index_entries * sizeof(SeekEntry);
    // A table with entries missing would lie.
    constexpr size_t kMostBytes = UINT32_MAX - sizeof(SeekTail);
    g_index_whole = g_index_whole && at + sizeof(SeekEntry) <= kMostBytes && g_index.reserve(at + sizeof(SeekEntry) + sizeof(SeekTail) + 8);
    if (!g_index_whole) return;
    SeekEntry entry{};
    entry.offset = offset;
    entry.compressed_bytes = static_cast<uint32_t>(bytes);
    entry.thread = header.thread;
    entry.first_chunk = header.first_chunk;
    entry.record_count = header.record_count;
    entry.kind = header.kind;
    // The first 8 bytes are left for the skippable frame's own header.
    copy_bytes(g_index.data() + 8 + at, &entry, sizeof entry);
    g_index_entries++;
}

}  // namespace

bool open_sink(const ProcessIdentity& identity, bool forked_child) {
    g_end = 0;
    g_dead = false;
    g_totals = {};
    g_index = GrowingMemory{};  // a forked child leaves it to its parent: another thread may have been enlarging it
    g_index_entries = 0;
    g_index_whole = true;
    g_broken = false;
    g_untold.store(0, std::memory_order_relaxed);
    return open_output(settings(), identity, forked_child, g_output);
}

Output& sink_output() { return g_output; }

void separate_collector_files() {
    Output& output = g_output;
    // Should the program close or exchange ours meanwhile, the collector opens its own by path as ever.
    const int fd = output.fd, live_fd = output.live_fd;
    output.collector_fd = is_file(fd, output.dev, output.ino) ? fd : -1;
    output.collector_live_fd = is_file(live_fd, output.live_dev, output.live_ino) ? live_fd : -1;
    leave_descriptor_table(output.collector_fd, output.collector_live_fd);
}

void tell_of_failure() {
    if (g_untold.load(std::memory_order_relaxed) == 0) return;
    const long error = g_untold.exchange(0, std::memory_order_relaxed);
    if (error != 0) tell(error);
}

bool append_frame(const BlockHeader& header, const uint8_t* frame, size_t bytes) {
    Guard guard(g_lock);
    uint64_t offset = g_end;
    if (!g_dead && bytes != 0) {
        long result = write_whole(frame, bytes);
        if (sys::failed(result)) give_up(result);
    }
    if (g_dead || bytes == 0) {
        g_broken = true;
        g_totals.lost += header.record_count;
        return false;
    }
    g_totals.records += header.record_count;
    g_totals.torn += header.torn_count;
    index_frame(header, offset, bytes);
    return true;
}

void append_seek_table() {
    Guard guard(g_lock);
    size_t entries = g_index_entries * sizeof(SeekEntry);
    if (g_dead || !g_index_whole || g_index_entries == 0 || !g_index.reserve(8 + entries + sizeof(SeekTail))) return;
    uint32_t head[2] = {kSeekTableFrame, static_cast<uint32_t>(entries + sizeof(SeekTail))};
    SeekTail tail{g_index_entries, last_pid_begun(), kBlockMagic};
    copy_bytes(g_index.data(), head, sizeof head);
    copy_bytes(g_index.data() + 8 + entries, &tail, sizeof tail);
    write_whole(g_index.data(), 8 + entries + sizeof tail);
}

void stamp_sink() {
    Guard guard(g_lock);
    const long fd = g_dead ? -1 : usable_descriptor();
    const uint64_t now = sys::clock_ns(sys::kClockRealtime);
    if (fd >= 0) sys::set_mtime(static_cast<int>(fd), {static_cast<int64_t>(now / 1'000'000'000), static_cast<int64_t>(now % 1'000'000'000)});
}

uint64_t extend_sink(const uint8_t* head, size_t head_bytes, size_t bytes) {
    Guard guard(g_lock);
    if (g_dead) return 0;
    long fd = usable_descriptor();
    if (sys::failed(fd)) return 0;
    uint64_t offset = g_end;
    // The head comes first: a process that another thread ends between the two leaves a frame that is cut short. The other way
    // round it would leave zeros, which are no frame. The rest of the area is zeros too: not one committed slot.
    if (write_whole(head, head_bytes) != 0) return 0;
    if (!reserve_in_file(static_cast<int>(fd), offset, bytes)) {
        sys::ftruncate(static_cast<int>(fd), offset);
        g_end = offset;
        return 0;
    }
    g_end = offset + bytes;
    return offset;
}

bool sink_broken() {
    Guard guard(g_lock);
    return g_broken;
}

SinkTotals sink_totals() {
    Guard guard(g_lock);
    SinkTotals totals = g_totals;
    totals.bytes = g_end;
    return totals;
}

void forget_sink() { g_lock.reset(); }

}  // namespace fnprof::rt
