#include "metadata.h"

#include "calibrate.h"
#include "clock.h"
#include "frame.h"
#include "function_set.h"
#include "items.h"
#include "lifecycle.h"
#include "live_file.h"
#include "lock.h"
#include "mark_bindings.h"
#include "modules.h"
#include "raw_frame.h"
#include "sink.h"
#include "symbols.h"
#include "thread_facts.h"

namespace fnprof::rt {

using namespace format;

namespace {

Lock g_lock;
ItemWriter g_items;
Modules g_modules;
FunctionSet g_functions;
GrowingMemory g_frame;  // the block being written
FrameWriter* g_writer;
uint32_t g_written_modules;
std::atomic<uint32_t> g_mute_threads{0};
std::atomic<uint64_t> g_lost_records{0};
std::atomic<bool> g_slow_threads{false};  // and the trace does not say so yet
uint64_t g_dropped_records;  // by all threads noted so far
bool g_marks_on;             // by all modules so far
bool g_cut;                  // there was no memory for all of the metadata

// Thread items of a storm of short threads are written when there are so many bytes of them.
constexpr size_t kFlushBytes = 64 * 1024;
// And names: a block of metadata may have up to kMaxMetadataBytes.
constexpr size_t kSpillBytes = 8 << 20;
static_assert(2 * kSpillBytes < kMaxMetadataBytes);

BlockHeader metadata_header(size_t payload_bytes) {
    BlockHeader header{};
    header.magic = kBlockMagic;
    header.version = kVersion;
    header.kind = static_cast<uint8_t>(BlockKind::kMetadata);
    header.header_bytes = sizeof header;
    header.payload_bytes = static_cast<uint32_t>(payload_bytes);
    return header;
}

// Writes what has been gathered as one block. Names are worth compressing; the first block, by which another process tells whose
// trace this is, stays raw.
enum class Packing { kRaw, kCompressed };

void flush(Packing packing) {
    if (g_items.empty()) return;
    BlockHeader header = metadata_header(g_items.size());
    if (packing == Packing::kCompressed && g_writer == nullptr) {
        auto* writer = static_cast<FrameWriter*>(map_pages(sizeof(FrameWriter)));
        if (writer != nullptr && writer->start(settings().compression)) g_writer = writer;
    }
    bool compressed = packing == Packing::kCompressed && g_writer != nullptr;
    size_t bound = compressed ? frame_bound(g_items.size()) : raw_frame_bytes(g_items.size());
    const bool room = g_frame.reserve(bound);
    g_cut = g_cut || !room || g_items.failed();
    if (room) {
        size_t bytes = compressed ? g_writer->write(header, g_items.data(), g_frame.data(), bound)
                                  : write_raw_frame(g_frame.data(), header, g_items.data());
        append_frame(header, g_frame.data(), bytes);
    }
    g_items.reset();
}

// A killed run must know its modules: whatever is new goes out at once.
void write_what_is_due() {
    const bool new_modules = g_modules.count() != g_written_modules;
    if (new_modules) {
        g_written_modules = g_modules.count();
        g_modules.write_items(g_items, Modules::Unloads::kOfReplaced);
        write_clock_pair(g_items);
    }
    if (new_modules || g_items.size() >= kFlushBytes) flush(Packing::kCompressed);
}

void spill() {
    if (g_items.size() >= kSpillBytes) flush(Packing::kCompressed);
}

void put_notice(NoticeCode code, const char* text) {
    g_items.begin(ItemType::kNotice);
    g_items.put(NoticeItem{static_cast<uint32_t>(code), 0});
    g_items.put_string(text);
    g_items.finish();
}

void put_slow_threads() {
    if (g_slow_threads.exchange(false, std::memory_order_relaxed))
        put_notice(NoticeCode::kSlowThreads,
                   "threads were forbidden to read the time stamp counter (PR_SET_TSC): their hooks cost system calls, which are in the times");
}

void put_thread(const Ring& ring, uint64_t end_ticks) {
    ThreadItem item{};
    item.serial = ring.thread.serial;
    item.tid = ring.thread.tid;
    item.start_ticks = ring.thread.start_ticks;
    item.end_ticks = end_ticks;
    item.lost_records = ring.total_lost;
    for (size_t i = 0; i < sizeof item.name; i++) item.name[i] = ring.thread.name[i];
    item.stack_low = ring.thread.stack.low;
    item.stack_high = ring.thread.stack.high;
    g_items.write(ItemType::kThread, item);
}

}  // namespace

void write_first_block(const ProcessIdentity& identity, const ProcessItem& fork) {
    Guard guard(g_lock);
    const Output& output = sink_output();
    ProcessItem process = fork;
    for (size_t i = 0; i < sizeof process.boot_id; i++) process.boot_id[i] = identity.boot_id[i];
    process.pid = identity.pid;
    process.parent_pid = identity.parent_pid;
    process.process_start = identity.process_start;
    process.image = output.image;
    g_modules.start(0);
    g_marks_on = marks_in_place(g_modules);
    if (g_marks_on) process.flags |= kMarksOn;
    if (settings().overflow == Settings::kDrop) process.flags |= kDropPolicy;
    if (!live_file_on()) process.flags |= kRingsInMemory;
    process.wall_start_ns = sys::clock_ns(sys::kClockRealtime);
    process.start_ticks = clock_ticks();
    write_process_item(g_items, process, output.start_directory[0] != 0 ? output.start_directory : nullptr);

    write_clock_pair(g_items);
    HookCost hooks = measure_hooks();
    g_items.write(ItemType::kClock, ClockItem{static_cast<uint32_t>(clock_counts_ns() ? ClockKind::kMonotonicNs : ClockKind::kTsc), 0, hooks.step_milliticks});
    g_items.write(ItemType::kHookCost, hooks.cost);
    g_modules.write_items(g_items, Modules::Unloads::kOfReplaced);
    g_written_modules = g_modules.count();
    write_clock_pair(g_items);
    flush(Packing::kRaw);
}

void note_functions(const EncoderWorkspace& workspace, const EncodeResult& block, const ChunkInput* chunks, uint32_t chunk_count) {
    Guard guard(g_lock);
    uint64_t now = clock_ticks();
    // Symbols are enters; pairs are also those of other kinds, whose function may be a count.
    for (uint32_t i = 0; i < block.symbol_count; i++)
        g_functions.note(g_modules, workspace.symbols[i].function >> 16, block.first_ticks, block.last_ticks, now);
    // Functions beyond the encoder's tables stand in the slots only.
    if (block.symbol_count == kMaxSymbols || block.pair_count > kMaxPairs)
        for (uint32_t c = 0; c < chunk_count; c++)
            for (uint32_t i = 0; i < chunks[c].used_slots; i++) {
                const Slot& slot = chunks[c].slots[i];
                if (ticks_of(slot.time_word) <= chunks[c].stale_ticks || kind_of(slot.time_word) != Kind::kEnter) continue;
                g_functions.note(g_modules, function_of(slot), block.first_ticks, block.last_ticks, now);
            }
    write_what_is_due();
}

void keep_module_files() {
    if (!g_modules.files_due() || in_vfork_child()) return;
    Guard guard(g_lock);
    g_modules.keep_files();
}

void before_unload() {
    SignalsBlocked blocked;
    ClockAccess access(counter_is_forbidden());
    if (!access.granted()) return;
    Guard guard(g_lock);
    g_modules.before_unload(clock_ticks());
}

void after_unload() {
    SignalsBlocked blocked;
    ClockAccess access(counter_is_forbidden());
    if (!access.granted()) return;
    Guard guard(g_lock);
    g_modules.after_unload(clock_ticks());
    g_modules.write_items(g_items, Modules::Unloads::kOfReplaced);
    flush(Packing::kCompressed);
}

void note_module(uint64_t address) {
    SignalsBlocked blocked;
    ClockAccess access(counter_is_forbidden());
    if (!access.granted()) return;
    Guard guard(g_lock);
    const uint64_t now = clock_ticks();
    if (g_modules.refresh(now, now)) write_what_is_due();
    if (!g_marks_on) return;
    g_modules.for_each_at(address, now, now, [](const Module& module) {
        if (!misses_marks(module)) return;
        g_marks_on = false;
        char text[512];
        TextBuffer line(text, sizeof text);
        line.add(g_modules.path(module), module.path_length < 300 ? module.path_length : 300)
            .add(" has a C++ library of its own, or other functions in front of fnprof's: what it threw was not recorded; where exceptions "
                 "and longjmp were used, callers are judged by stack pointers and call sites");
        put_notice(NoticeCode::kMarksMissing, text);
    });
    if (!g_marks_on) flush(Packing::kCompressed);
}

void note_thread(const Ring& ring, uint64_t end_ticks) {
    Guard guard(g_lock);
    put_thread(ring, end_ticks);
    g_dropped_records += ring.total_lost;
}

void write_first_thread(Ring& ring) {
    Guard guard(g_lock);
    put_thread(ring, 0);
    ring.noted = true;
    flush(Packing::kRaw);
}

void write_interim_block() {
    Guard guard(g_lock);
    for (Ring* ring = first_ring(); ring != nullptr; ring = ring->next) {
        // A ring that changes hands is noted by its new thread.
        if (!ring->switch_lock.try_lock()) continue;
        if (refresh_name(ring->thread) || !ring->noted) put_thread(*ring, 0);
        ring->noted = true;
        ring->switch_lock.unlock();
    }
    g_modules.write_items(g_items, Modules::Unloads::kOfReplaced);
    g_written_modules = g_modules.count();
    write_clock_pair(g_items);
    put_slow_threads();
    flush(Packing::kCompressed);
}

void note_slow_thread() { g_slow_threads.store(true, std::memory_order_relaxed); }
void count_mute_thread() { g_mute_threads.fetch_add(1, std::memory_order_relaxed); }
void count_lost_record() {
    g_lost_records.fetch_add(1, std::memory_order_relaxed);
    count_lost_in_live(1);
}

void write_last_block(uint64_t end_ticks) {
    Guard guard(g_lock);
    g_modules.write_items(g_items, Modules::Unloads::kAll);
    write_all_names(g_items, g_modules, g_functions, spill);
    write_clock_pair(g_items);
    uint64_t lost = g_lost_records.load(std::memory_order_relaxed);
    if (uint32_t count = g_mute_threads.load(std::memory_order_relaxed); count != 0) {
        char text[192];
        TextBuffer line(text, sizeof text);
        line.add_decimal(count).add(" threads found no memory to record in: their ").add_decimal(lost).add(" records are missing");
        put_notice(NoticeCode::kThreadsUnrecorded, line.text());
    }
    put_slow_threads();
    if (g_cut || g_items.failed()) put_notice(NoticeCode::kMetadataCut, "there was no memory for the names of all functions and threads");
    SinkTotals totals = sink_totals();
    g_items.write(ItemType::kEnd, EndItem{static_cast<uint32_t>(EndReason::kExit), thread_count(), end_ticks, totals.records, totals.torn,
                                          totals.lost + lost + g_dropped_records});
    flush(Packing::kCompressed);
}

void forget_metadata() {
    g_lock.reset();
    // Not cleared but left to the parent: the fork may have caught another thread enlarging them.
    g_items = ItemWriter{};
    g_functions = FunctionSet{};
    g_frame = GrowingMemory{};
    g_modules.restart_in_child();
    g_written_modules = 0;
    g_mute_threads.store(0, std::memory_order_relaxed);
    g_lost_records.store(0, std::memory_order_relaxed);
    g_slow_threads.store(false, std::memory_order_relaxed);
    g_dropped_records = 0;
    g_cut = false;
}

}  // namespace fnprof::rt
