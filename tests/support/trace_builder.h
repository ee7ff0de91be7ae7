// Builds traces in memory from written-out records and facts, with the production encoder and frame writer: golden files, damaged
// files, and whatever a test of the analyzer wants to read.
//
//   TraceBuilder trace;
//   trace.process("/bin/app", {"app"}).clock_pair(0, 0).clock_pair(1000, 1000).module(1, "/bin/app", 0x1000, 0x1000, 0x9000);
//   trace.metadata_block();
//   trace.records(1, {enter(0x1100, 0x1200, 0x7000, 10), exit(0x1100, 0x1200, 0x7000, 20)});
//   trace.names(1, {{0x100, 16, "main"}}).end(20).metadata_block();
//   TraceFile file = TraceFile::from_bytes(trace.bytes(), "made up");
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "format/encoder.h"
#include "format/layout.h"

namespace fnprof::testing {

// Records. Stack pointers are given in bytes and kept in 16-byte units.
format::Slot enter(uint64_t function, uint64_t site, uint64_t stack_pointer, uint64_t ticks);
format::Slot exit(uint64_t function, uint64_t site, uint64_t stack_pointer, uint64_t ticks);
format::Slot throw_mark(uint64_t stack_pointer, uint64_t ticks);
format::Slot catch_mark(uint64_t stack_pointer, uint64_t ticks);
format::Slot longjmp_mark(uint64_t stack_pointer, uint64_t ticks);
// `end_ticks` is the record's time; `dropped` records are missing (0: none, the thread was held up).
format::Slot gap(uint64_t length_ticks, uint64_t end_ticks, uint64_t dropped = 0);
format::Slot user_mark(uint64_t function, uint64_t payload, uint64_t ticks);
format::Slot torn();

struct NameSpec {
    uint64_t address;  // symbol-table address
    uint32_t size;
    std::string name;
};

class TraceBuilder {
  public:
    TraceBuilder();
    ~TraceBuilder();
    TraceBuilder(const TraceBuilder&) = delete;
    TraceBuilder& operator=(const TraceBuilder&) = delete;

    // What process() and metadata frames write; change before the call.
    format::ProcessItem process_item{};
    std::string working_directory = "/home/user";
    std::string host = "host";
    uint16_t version = format::kVersion;
    int level = 1;

    // Metadata: each call adds an item to the block that metadata_block() writes.
    TraceBuilder& process(std::string_view executable, const std::vector<std::string>& arguments = {});
    TraceBuilder& clock(format::ClockKind kind, uint64_t step_milliticks);
    TraceBuilder& clock_pair(uint64_t ticks, uint64_t monotonic_ns);
    TraceBuilder& hook_cost(uint64_t inner_ps, uint64_t outer_ps);
    TraceBuilder& module(uint32_t id, std::string_view path, uint64_t bias, uint64_t start, uint64_t end,
                         const std::vector<uint8_t>& build_id = {}, uint64_t load_ticks = 0);
    TraceBuilder& unload(uint32_t id, uint64_t ticks);
    TraceBuilder& names(uint32_t module, const std::vector<NameSpec>& entries);
    TraceBuilder& thread(uint32_t serial, int32_t tid, std::string_view name, uint64_t start_ticks = 0, uint64_t end_ticks = 0,
                         uint64_t lost_records = 0);
    TraceBuilder& end(uint64_t end_ticks, format::EndReason reason = format::EndReason::kExit);
    TraceBuilder& notice(uint32_t code, std::string_view text);
    TraceBuilder& item(uint16_t type, const void* payload, size_t bytes);

    // Frames, appended to the file.
    TraceBuilder& metadata_block();
    // One block of the thread's next chunks, `slots_per_chunk` slots each; at most kMaxChunksPerBlock chunks.
    TraceBuilder& records(uint32_t thread, const std::vector<format::Slot>& slots,
                          uint32_t slots_per_chunk = format::kSlotsPerChunk);
    // The thread's next chunk as a late area with room for `slot_count` slots.
    TraceBuilder& late_area(uint32_t thread, int32_t tid, const std::vector<format::Slot>& slots, uint32_t slot_count);
    TraceBuilder& seek_table();
    // A frame of any header and payload; magic, version, header and payload size are filled in where zero.
    TraceBuilder& frame(format::BlockHeader header, const std::vector<uint8_t>& payload);
    TraceBuilder& raw(const void* data, size_t bytes);

    // Leaves out chunk numbers, as if a block had been lost.
    TraceBuilder& skip_chunks(uint32_t thread, uint64_t count);
    uint64_t next_chunk(uint32_t thread) const;

    const std::vector<uint8_t>& bytes() const { return bytes_; }
    // Where each frame begins, the seek table's and late areas' included.
    const std::vector<uint64_t>& frame_offsets() const { return frame_offsets_; }
    void write_file(const std::string& path) const;

  private:
    struct Coder;
    void put_item(format::ItemType type, const std::vector<uint8_t>& payload);

    std::unique_ptr<Coder> coder_;
    std::vector<uint8_t> bytes_;
    std::vector<uint8_t> items_;
    std::vector<uint64_t> frame_offsets_;
    std::vector<format::SeekEntry> index_;
    std::map<uint32_t, uint64_t> next_chunk_;
    uint64_t record_count_ = 0;
    uint64_t torn_count_ = 0;
};

// A live file: rings of `chunk_count` chunks each, filled in chunk by chunk.
class LiveFileBuilder {
  public:
    // Belongs to the trace of this process; `header` may be changed before bytes() is called.
    explicit LiveFileBuilder(const format::ProcessItem& process);

    format::LiveHeader header{};

    // Opened before the first record, or published after the last one.
    static constexpr uint64_t kPlausible = ~uint64_t{0};

    void add_ring(uint32_t chunk_count);
    // Puts a chunk in place `index` of the last ring. Open chunks are mapped whole: the rest reads as zeros.
    void add_chunk(uint32_t index, uint32_t thread, uint64_t number, format::ChunkUse use, const std::vector<format::Slot>& slots,
                   uint64_t stale_ticks = 0, uint64_t changed_ticks = kPlausible);
    std::vector<uint8_t> bytes() const;
    void write_file(const std::string& path) const;

  private:
    std::vector<uint8_t> rings_;
    size_t last_ring_ = 0;
    uint32_t last_ring_chunks_ = 0;
};

void write_bytes(const std::string& path, const std::vector<uint8_t>& bytes);

}  // namespace fnprof::testing
