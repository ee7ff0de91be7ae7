// What both sides of fnprof agree on, byte for byte: the 24-byte record slot, the 64 KiB chunk, the live file,
// and the blocks of the trace file. FORMAT.md is the normative text; this header is its transcription.
//
// Little-endian throughout, no pointers, no padding that is not named. Included by the runtime (C++17, freestanding
// subset) and by the analyzer; it must include nothing but <cstdint>.
#pragma once

#include <cstdint>

namespace fnprof::format {

// ---------------------------------------------------------------------------------------------------------------
// Records

enum class Kind : uint8_t {
    kNone = 0,     // never written: no record
    kEnter = 1,    // function entered
    kExit = 2,     // function left (the exit hook ran)
    kThrow = 3,    // an exception started to propagate, was thrown again, or the thread ends by pthread_exit
    kCatch = 4,    // a handler got control: the stack pointer is that of the frame that catches
    kLongjmp = 5,  // longjmp & co.: the function field is where setjmp returns to, the stack pointer that frame's
    kGap = 6,      // fnprof itself took the thread's time, or records were dropped: see below
    kMark = 7,     // user mark
};
constexpr unsigned kKindCount = 8;
// A throw's function field when it is pthread_exit's: nobody will catch it.
constexpr unsigned kEndsThread = 1;

// Addresses are user-space addresses below 2^48. Stack pointers are kept in 16-byte units modulo 2^32, that is
// modulo 64 GiB: enough to tell stacks apart and to order frames of one stack.
constexpr unsigned kAddressBits = 48;
constexpr uint64_t kAddressMask = (uint64_t{1} << kAddressBits) - 1;
constexpr unsigned kKindBits = 4;
constexpr uint64_t kKindMask = (uint64_t{1} << kKindBits) - 1;
constexpr unsigned kStackUnit = 16;

// One record as the hook writes it. `time_word` is stored last and commits the slot.
//   function_word  bits 0..47 function address          bits 48..63 bits 0..15 of the stack pointer / 16
//   site_word      bits 0..47 call site or payload      bits 48..63 bits 16..31 of the stack pointer / 16
//   time_word      bits 0..3 Kind                       bits 4..63 clock ticks
// The stack pointer of an enter, exit or throw is the value that it had in the instrumented function just before the call
// of the hook (the hook's canonical frame address). Exit hooks may be tail-called, so an exit's stack pointer can be
// higher than its enter's.
struct Slot {
    uint64_t function_word;
    uint64_t site_word;
    uint64_t time_word;
};
static_assert(sizeof(Slot) == 24);

constexpr Kind kind_of(uint64_t time_word) { return static_cast<Kind>(time_word & kKindMask); }
constexpr uint64_t ticks_of(uint64_t time_word) { return time_word >> kKindBits; }
constexpr uint64_t make_time_word(uint64_t ticks, Kind kind) { return ticks << kKindBits | static_cast<uint64_t>(kind); }
constexpr uint64_t function_of(const Slot& slot) { return slot.function_word & kAddressMask; }
constexpr uint64_t site_of(const Slot& slot) { return slot.site_word & kAddressMask; }
constexpr uint32_t stack_of(const Slot& slot) {
    return static_cast<uint32_t>(slot.function_word >> kAddressBits) |
           static_cast<uint32_t>(slot.site_word >> kAddressBits) << 16;
}
constexpr Slot make_slot(Kind kind, uint64_t function, uint64_t site, uint32_t stack16, uint64_t ticks) {
    return {(function & kAddressMask) | static_cast<uint64_t>(stack16 & 0xffff) << kAddressBits,
            (site & kAddressMask) | static_cast<uint64_t>(stack16 >> 16) << kAddressBits, make_time_word(ticks, kind)};
}

// A gap record: its time is the gap's end, its function field the number of records dropped in it (0: the thread waited
// or coded, nothing is missing), its site field the gap's length in ticks (saturating at 2^48-1), its stack pointer that
// of the record beside it.

// ---------------------------------------------------------------------------------------------------------------
// Chunks

constexpr uint32_t kChunkBytes = 65536;

// A slot of a chunk is committed when ticks_of(time_word) > stale_ticks and its kind is not 0: everything that an earlier use
// of the memory left behind is not newer than stale_ticks (0 in fresh memory). Claimed slots that are not committed are torn.
struct ChunkHeader {
    uint64_t stale_ticks;
    uint64_t number;  // of this chunk within its thread, from 0
};
static_assert(sizeof(ChunkHeader) == 16);

constexpr uint32_t kSlotsPerChunk = (kChunkBytes - sizeof(ChunkHeader)) / sizeof(Slot);
static_assert(kSlotsPerChunk == 2730);
static_assert(sizeof(ChunkHeader) + kSlotsPerChunk * sizeof(Slot) == kChunkBytes);

struct Chunk {
    ChunkHeader header;
    Slot slots[kSlotsPerChunk];
};
static_assert(sizeof(Chunk) == kChunkBytes);

// ---------------------------------------------------------------------------------------------------------------
// The live file (X.live beside the trace X): the rings of a running process, readable after any kind of death.
// LiveHeader (one page), then ring areas back to back: RingHeader, `chunk_count` ChunkStates, padding to a page, chunks.

constexpr uint32_t kPageBytes = 4096;
constexpr char kLiveMagic[8] = {'F', 'N', 'P', 'L', 'I', 'V', 'E', '1'};

struct LiveHeader {
    char magic[8];
    uint32_t version;  // kVersion
    uint32_t header_bytes;
    uint8_t boot_id[16];
    uint64_t pid;
    uint64_t process_start;  // field 22 of /proc/PID/stat: clock ticks since boot
    uint64_t trace_device;   // the trace file that these rings belong to
    uint64_t trace_inode;
    uint64_t ring_bytes;     // end of the last ring area, from the file's start
    uint64_t lost_records;   // records dropped, or in chunks that the trace could not take and that were written over since
};
static_assert(sizeof(LiveHeader) == 80);

enum class ChunkUse : uint32_t {
    kFree = 0,       // holds nothing that is needed
    kOpen = 1,       // its thread is writing
    kPublished = 2,  // full or abandoned by its thread, not yet in the trace file
};

// Everything but `use` is written before `use` is release-stored.
struct ChunkState {
    uint64_t number;
    uint32_t thread;      // serial number of the thread
    uint32_t use;         // ChunkUse
    uint32_t used_slots;  // valid when published: slots claimed
    int32_t tid;
    uint64_t changed_ticks;  // when `use` last became open or published; of a free chunk, its latest record if that is later
};
static_assert(sizeof(ChunkState) == 32);

constexpr uint32_t kRingMagic = 0x52504e46;  // "FNPR"

struct RingHeader {
    uint32_t magic;
    uint32_t chunk_count;
    uint64_t area_bytes;  // of the whole ring area, header included
};
static_assert(sizeof(RingHeader) == 16);

constexpr uint64_t ring_header_bytes(uint32_t chunk_count) {
    return (sizeof(RingHeader) + uint64_t{chunk_count} * sizeof(ChunkState) + kPageBytes - 1) / kPageBytes * kPageBytes;
}
constexpr uint64_t ring_area_bytes(uint32_t chunk_count) {
    return ring_header_bytes(chunk_count) + uint64_t{chunk_count} * kChunkBytes;
}

// ---------------------------------------------------------------------------------------------------------------
// The trace file: zstd frames back to back. The content of each frame is one block: BlockHeader and payload. The first
// zstd block of each frame holds the BlockHeader alone, so that a reader can index a file without decompressing it.

constexpr uint32_t kBlockMagic = 0x42504e46;  // "FNPB"
constexpr uint16_t kVersion = 1;              // a reader refuses a greater one; FORMAT.md holds the policy

// Most payload bytes of a metadata block: a writer with more names makes more blocks. (Records: see codec.h.)
constexpr uint32_t kMaxMetadataBytes = 64 << 20;

enum class BlockKind : uint8_t {
    kMetadata = 1,  // items, see ItemType; the first block of a file is one, and the last one of a run that ends in order
    kRecords = 2,   // records of one thread, coded as codec.h says
};

struct BlockHeader {
    uint32_t magic;
    uint16_t version;
    uint8_t kind;          // BlockKind
    uint8_t header_bytes;  // sizeof(BlockHeader) of the writer; a reader skips what it does not know
    uint32_t payload_bytes;
    uint32_t thread;       // records: serial number of the thread
    uint64_t first_chunk;  // records: number of the first chunk within the thread
    uint32_t chunk_count;  // records: consecutive chunks in this block
    uint32_t record_count;
    uint32_t torn_count;   // slots claimed, never committed and skipped
    uint32_t reserved;
    uint64_t first_ticks;  // records: smallest and greatest time in the block
    uint64_t last_ticks;
};
static_assert(sizeof(BlockHeader) == 56);

// Two kinds of skippable frame may stand among the frames; a reader may ignore the first, never the second.
constexpr uint32_t kSeekTableFrame = 0x184D2A50;  // payload: SeekEntry..., SeekTail
constexpr uint32_t kLateAreaFrame = 0x184D2A51;   // payload: LateAreaHeader, then its slots

struct SeekEntry {
    uint64_t offset;            // of the frame in the file
    uint32_t compressed_bytes;  // of the whole frame
    uint32_t thread;
    uint64_t first_chunk;
    uint32_t record_count;
    uint8_t kind;  // BlockKind
    uint8_t reserved[3];
};
static_assert(sizeof(SeekEntry) == 32);

struct SeekTail {
    uint64_t entry_count;
    uint32_t last_pid;  // number of the process that was begun last when the run ended; 0: not known
    uint32_t magic;  // kBlockMagic
};
static_assert(sizeof(SeekTail) == 16);

// Records made after the runtime ended (destructors and exit handlers that run after its own): written in place by the
// hooks into a mapping of the file. Nothing says how many slots were claimed: every committed one counts.
struct LateAreaHeader {
    uint32_t magic;  // kRingMagic
    uint32_t slot_count;
    uint32_t thread;
    int32_t tid;
    ChunkHeader chunk;
};
static_assert(sizeof(LateAreaHeader) == 32);

// ---------------------------------------------------------------------------------------------------------------
// Metadata items: ItemHeader, `bytes` bytes of payload, zero padding to a multiple of 8. Unknown types are skipped;
// payloads may grow at their end. Strings are UTF-8 as the system gave them, length-prefixed, not terminated.

enum class ItemType : uint16_t {
    kProcess = 1,       // ProcessItem + strings
    kClock = 2,         // ClockItem
    kClockPair = 3,     // ClockPair[]
    kHookCost = 4,      // HookCostItem
    kModule = 5,        // ModuleItem + strings
    kModuleUnload = 6,  // ModuleUnloadItem
    kNames = 7,         // NamesItem + NameEntry...
    kThread = 8,        // ThreadItem
    kEnd = 9,           // EndItem
    kNotice = 10,       // NoticeItem + text: a degradation, in words for the user
    kRecovery = 11,     // RecoveryItem + RecoveredGap...: what a recovered trace had before and cannot show any more
};

struct ItemHeader {
    uint16_t type;
    uint16_t reserved;
    uint32_t bytes;  // of the payload, padding not included
};
static_assert(sizeof(ItemHeader) == 8);

// Followed by: u32 length + bytes, for executable path, working directory, host name; then u32 argc and argc strings.
struct ProcessItem {
    uint8_t boot_id[16];
    uint64_t pid;
    uint64_t parent_pid;
    uint64_t process_start;      // field 22 of /proc/PID/stat; with boot_id and pid it names a process, across exec too
    uint64_t wall_start_ns;      // CLOCK_REALTIME when recording started, since 1970
    uint64_t start_ticks;        // the trace clock at that moment
    uint32_t image;              // 0 for the first traced image of this process, counting up over exec
    uint32_t flags;              // ProcessFlags
    // In a forked child: where its history is, up to fork_ticks. fork_parent_thread is 0 otherwise.
    uint64_t fork_parent_pid;
    uint64_t fork_parent_start;
    uint32_t fork_parent_thread;
    uint32_t reserved;
    uint64_t fork_ticks;
};
static_assert(sizeof(ProcessItem) == 96);

enum ProcessFlags : uint32_t {
    kMarksOn = 1,       // throw, catch and longjmp are recorded
    kDropPolicy = 2,    // FNPROF_OVERFLOW=drop
    kRingsInMemory = 4, // no live file: what was not yet written dies with the process
    kForkByOtherClock = 8, // fork_ticks is a time of the parent's clock, which is of the other kind
};

enum class ClockKind : uint32_t { kTsc = 1, kMonotonicNs = 2 };

struct ClockItem {
    uint32_t kind;  // ClockKind
    uint32_t reserved;
    uint64_t step_milliticks;  // average size of the clock's smallest step in 1/1000 ticks; 1,000 when none was found
};
static_assert(sizeof(ClockItem) == 16);

struct ClockPair {
    uint64_t ticks;
    uint64_t monotonic_ns;  // CLOCK_MONOTONIC at the same moment
};
static_assert(sizeof(ClockPair) == 16);

// What one enter + exit costs beyond the function, in picoseconds: `inner` falls between the two time stamps and so is in the
// function's measured time, `outer` falls outside and so is in its caller's.
struct HookCostItem {
    uint64_t inner_ps;
    uint64_t outer_ps;
};
static_assert(sizeof(HookCostItem) == 16);

// Followed by u32 length + path, u32 length + build-id bytes.
struct ModuleItem {
    uint32_t id;  // from 1, never used again
    uint32_t reserved;
    uint64_t load_ticks;  // the last moment at which it was seen not to be there; 0: there before the first record
    uint64_t bias;        // run-time address = bias + address in the file's symbol table
    uint64_t start;       // run-time addresses [start, end) belong to it
    uint64_t end;
};
static_assert(sizeof(ModuleItem) == 40);

struct ModuleUnloadItem {
    uint32_t id;
    uint32_t reserved;
    uint64_t unload_ticks;  // addresses in its range belong to it before this time
};
static_assert(sizeof(ModuleUnloadItem) == 16);

// Followed by `count` NameEntry, each followed by its `length` bytes, unaligned and unpadded. An entry names the function at
// `address` (symbol-table address, that is run-time address - bias).
struct NamesItem {
    uint32_t module;
    uint32_t count;
};
static_assert(sizeof(NamesItem) == 8);

struct NameEntry {
    uint64_t address;
    uint32_t size;    // of the symbol, 0 unknown
    uint32_t length;  // of the mangled name
};
static_assert(sizeof(NameEntry) == 16);

// May come more than once for a thread; the last one counts.
struct ThreadItem {
    uint32_t serial;
    int32_t tid;
    uint64_t start_ticks;  // when it got its serial number, just before its first record
    uint64_t end_ticks;    // of its last record; 0: not known to have ended
    uint64_t lost_records; // those for which it had no free chunk; not those in blocks that could not be written
    char name[16];         // as the kernel has it, zero-padded
    // Addresses between which nothing lies but the thread's own stack; 0, 0: not known. Absent in items of 48 bytes.
    uint64_t stack_low;
    uint64_t stack_high;
};
static_assert(sizeof(ThreadItem) == 64);

enum class EndReason : uint32_t { kExit = 1, kRecovered = 2 };

struct EndItem {
    uint32_t reason;  // EndReason
    uint32_t thread_count;
    uint64_t end_ticks;
    uint64_t record_count;  // in record blocks
    uint64_t torn_count;    // the same
    uint64_t lost_records;  // in all: those of the thread items, of threads without a ring, and of blocks that could not be written
};
static_assert(sizeof(EndItem) == 40);

enum class NoticeCode : uint32_t {
    kThreadsUnrecorded = 1,  // threads that could not be given a ring: their calls are missing
    kMetadataCut = 2,        // no memory for all names, modules and thread facts: some are missing
    kSlowThreads = 3,        // threads whose hooks cost more than the hook cost item says
    kMarksMissing = 4,       // kMarksOn holds no longer: a module that was loaded later unwinds without our knowing
    kFoundByRecovery = 5,    // what was found wrong with the files that this trace was put together from
};

// Followed by u32 length + text.
struct NoticeItem {
    uint32_t code;  // NoticeCode
    uint32_t reserved;
};
static_assert(sizeof(NoticeItem) == 8);

// Written by whoever puts a trace and its live file together, or writes a damaged trace anew. A recovered trace that is damaged and
// recovered again has several: they add up.
struct RecoveryItem {
    uint32_t flags;                 // RecoveryFlags
    uint32_t gap_count;             // of the RecoveredGaps that follow
    uint64_t live_record_count;     // records that came from the live file
    uint64_t damaged_count;         // blocks and places that could not be used, and are not here any more
    uint64_t duplicate_chunk_count; // chunks that were there twice, and are here once
    uint64_t missing_chunk_count;   // chunks that were missing and that the numbering does not show: those of the gaps, or more
};
static_assert(sizeof(RecoveryItem) == 40);

enum RecoveryFlags : uint32_t {
    kLiveFileReadAlong = 1,
    kWasTruncated = 2,  // the trace ended in the middle of a frame
};

// Chunks [first, first + count) of a thread.
struct RecoveredGap {
    uint32_t thread;
    uint32_t reserved;
    uint64_t first;
    uint64_t count;
};
static_assert(sizeof(RecoveredGap) == 24);

}  // namespace fnprof::format
