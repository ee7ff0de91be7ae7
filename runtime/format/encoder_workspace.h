// What the encoder (encoder.h) is given, returns, and keeps from block to block.
#pragma once

#include <cstddef>
#include <cstdint>

#include "format/clock_step.h"
#include "format/codec.h"
#include "format/layout.h"

namespace fnprof::format {

struct ChunkInput {
    const Slot* slots;
    uint32_t used_slots;
    uint64_t stale_ticks;
};

enum class TornPolicy {
    kSkip,    // leave torn slots out and count them
    kRefuse,  // give up at the first one: its thread may still be about to commit it
};

struct ColumnSpan {
    const uint8_t* data;
    uint32_t bytes;
};

struct EncodeResult {
    bool refused;
    uint32_t record_count;
    uint32_t torn_count;
    uint32_t pair_count;   // distinct (function, call site), of records of all kinds
    uint32_t symbol_count; // of EncoderWorkspace::symbols: the enters. All of them, unless there are kMaxSymbols of these or more
                           // pairs than kMaxPairs
    uint64_t first_ticks;  // smallest and greatest time; 0 when there is no record
    uint64_t last_ticks;
    ColumnSpan columns[1 + kColumnCount];  // the directory, then the columns that are not empty: contiguous memory
    uint32_t column_count;
    uint32_t payload_bytes;
};

// The tables of a block start empty without anything being cleared: an entry of a hash table counts when the item that it names is
// one of this block's and names the entry in turn. Hence any content will do for a start, zeros as well as a block of another thread.
// (ClockStep alone wants zeros.)
struct EncoderWorkspace {
    struct Pair {
        uint64_t function;
        uint64_t site;
        uint32_t exit_step;
        uint32_t at;  // in pair_table
    };
    struct Symbol {
        uint64_t function;  // << 16: a slot's words without the stack pointer
        uint64_t site;
        uint32_t step;
        uint16_t pair;
        uint16_t at;  // in symbol_table
    };
    // An entry of the stack: the first two words of the slot that its predicted exit has.
    struct Frame {
        uint64_t function_word;
        uint64_t site_word;
        uint32_t stack;  // of the enter
        uint32_t pair;
    };
    static constexpr uint32_t kHashBits = 14;
    static constexpr uint32_t kHashSize = 1u << kHashBits;

    ClockStep clock;
    uint8_t kinds[kSlotsPerChunk];  // of the chunk at hand; 0: torn
    Pair pairs[kMaxPairs];
    Symbol symbols[kMaxSymbols];
    Frame frames[1 + kStackDepth];       // the stack, from 1 on
    uint16_t pair_table[kHashSize];
    uint16_t symbol_table[kHashSize];
    uint16_t function_table[kHashSize];  // a pair of the function, perhaps: a hint
};

// Most bytes that a record adds: action, wide, time and its extra bytes, escape operation with a new pair.
constexpr size_t kMaxTimeExtraBytes = 10;
constexpr size_t kMaxEscapeBytes = 1 + 3 + 8 + 7 + 5;
constexpr size_t encoded_bound(uint32_t slots) {
    return sizeof(Directory) + size_t{slots} * (3 + kMaxTimeExtraBytes + kMaxEscapeBytes);
}

}  // namespace fnprof::format
