// Helpers of the reader's tests: a small trace, and everything that can be read from one.
#pragma once

#include <doctest/doctest.h>

#include <vector>

#include "support/trace_builder.h"
#include "trace/trace_file.h"

namespace fnprof::testing {

struct ReadBlock {
    uint32_t thread;
    uint64_t first_chunk;
    uint32_t torn_count;
    bool live;
    bool late;
    std::vector<format::Slot> slots;  // put together again
};

inline bool operator==(const ReadBlock& a, const ReadBlock& b) {
    if (a.thread != b.thread || a.first_chunk != b.first_chunk || a.slots.size() != b.slots.size()) return false;
    for (size_t i = 0; i < a.slots.size(); ++i) {
        if (a.slots[i].function_word != b.slots[i].function_word || a.slots[i].site_word != b.slots[i].site_word ||
            a.slots[i].time_word != b.slots[i].time_word) {
            return false;
        }
    }
    return true;
}

inline std::vector<ReadBlock> read_all(trace::TraceFile& file) {
    std::vector<ReadBlock> blocks;
    trace::RecordBlock block;
    while (file.next(block)) {
        ReadBlock read{block.thread, block.first_chunk, block.torn_count, block.live, block.late, {}};
        for (const format::Event& event : block.records.events) {
            const format::Symbol& symbol = block.records.symbols.at(event.symbol);
            read.slots.push_back(format::make_slot(format::kind_of(event.time_word), symbol.function, symbol.call_site, event.stack,
                                                   format::ticks_of(event.time_word)));
        }
        blocks.push_back(std::move(read));
    }
    return blocks;
}

inline trace::TraceFile open(const TraceBuilder& trace) { return trace::TraceFile::from_bytes(trace.bytes(), "test trace"); }

// A call of main's callee number `n` at time `ticks`: two records.
inline std::vector<format::Slot> call(unsigned n, uint64_t ticks) {
    return {enter(0x401000 + 64 * n, 0x400500 + 8 * n, 0x7ffe1000, ticks), exit(0x401000 + 64 * n, 0x400500 + 8 * n, 0x7ffe1000, ticks + 20)};
}

// Metadata, three blocks of records of two threads, names and end.
inline void small_trace(TraceBuilder& trace) {
    trace.process("/usr/bin/app", {"app", "--fast"}).clock(format::ClockKind::kTsc, 1000).clock_pair(0, 5000).hook_cost(4000, 5000);
    trace.module(1, "/usr/bin/app", 0x400000, 0x400000, 0x500000, {0xab, 0xcd}).metadata_block();
    trace.records(1, call(1, 100)).records(2, call(2, 200)).records(1, call(3, 300));
    trace.thread(1, 4711, "app", 100, 330).thread(2, 4712, "worker", 200, 230);
    trace.names(1, {{0x1040, 40, "first"}, {0x1080, 0, "second"}}).clock_pair(1000, 6000).end(340).metadata_block();
    trace.seek_table();
}

}  // namespace fnprof::testing
