// The coding of record blocks: what encoder.h and decoder.h share. FORMAT.md describes it in full.
//
// The records of one thread become a few columns of bytes, made so that a general compressor finds them easy. Both sides
// run the same small machine over the records, one after the other:
//
//   pairs    the distinct (function, call site) of the block in order of appearance, each with the *exit step* last seen:
//            how far an exit's stack pointer lay above its enter's
//   stack    the last enters that no exit has taken yet, at most kStackDepth of them: (pair, stack pointer, stack pointer that
//            the exit should have = stack pointer + the pair's exit step at the time of the enter)
//   symbols  the distinct (pair, enter step), enter step = stack pointer - stack pointer of the stack's top. For an empty stack
//            that is the stack pointer of the last exit, and 0 before the first
//
// and for each record one byte in the action column says how it follows from that state:
//
//   0            the exit that the top of the stack predicts
//   1 .. 254     the enter of a known symbol; push
//   255          anything else, spelled out in the escape column
//
// A fib(2) call tree, with 100 = main's call and 7, 9 = fib's two calls of itself:
//   enter fib from 100 -> 255 (new pair 0, new symbol 0)   enter fib from 7 -> 255 (pair 1, symbol 1)   exit -> 0
//   enter fib from 9   -> 255 (pair 2, symbol 2)           exit -> 0                                    exit -> 0
// and every further one is 1 2 0 3 0 0, or so: FORMAT.md has the bytes. The stack is a prediction and nothing more: records that it
// predicts badly cost some bytes and are recovered as exactly as the others.
//
// Times are coded apart: see TimeCode.
#pragma once

#include <cstddef>
#include <cstdint>

#include "format/layout.h"

namespace fnprof::format {

// Most chunks, and so most slots, of one block.
constexpr uint32_t kMaxChunksPerBlock = 8;
constexpr uint32_t kMaxRecordsPerBlock = kMaxChunksPerBlock * kSlotsPerChunk;

// Depth of the prediction stack. One more push forgets its older half first.
constexpr uint32_t kStackDepth = 1024;

// Pairs beyond this number belong to their own record only: they are not referred to again and their enters are not pushed.
constexpr uint32_t kMaxPairs = 8192;

// The action column.
constexpr uint32_t kActionExit = 0;
constexpr uint32_t kActionEnter = 1;        // + symbol, for symbols below kNarrowSymbols
constexpr uint32_t kNarrowSymbols = 222;
constexpr uint32_t kActionWide = 223;       // + (symbol - kNarrowSymbols) / 256; the remainder stands in the wide column
constexpr uint32_t kActionEscape = 255;
constexpr uint32_t kMaxSymbols = kNarrowSymbols + (kActionEscape - kActionWide) * 256;
static_assert(kActionEnter + kNarrowSymbols == kActionWide);

// The escape column: one operation each. An operation below 16 is a record of that Kind with its fields spelled out; enters
// push and define a symbol while there is room, other kinds leave the stack alone.
constexpr uint8_t kOpPop = 16;  // the exit of an entry of the stack; everything above it is dropped with it

// The time column: one byte a record, for the number of clock steps since the record before.
constexpr uint32_t kTimeByte = 224;   // 224 .. 239: 224 + 256 * (code - 224) + one byte of the time-extra column
constexpr uint32_t kTimeWord = 240;   // 240 .. 252: kTimeWordBase + 65536 * (code - 240) + two bytes
constexpr uint32_t kTimeLate = 253;   // varint steps; the time is one tick later than predicted
constexpr uint32_t kTimeEarly = 254;  // varint steps; the time is one tick earlier than predicted
constexpr uint32_t kTimeExact = 255;  // zigzag varint: ticks since the record before
constexpr uint32_t kTimeWordBase = kTimeByte + (kTimeWord - kTimeByte) * 256;
constexpr uint32_t kTimeLimit = kTimeWordBase + (kTimeLate - kTimeWord) * 65536;

// The clock may move in steps of several ticks, and not a whole number of them (24.45 on some machines). `step` is ticks per
// step as 32.32 fixed point; the fraction of a tick is carried from record to record, and moved to the nearest value that
// would have been right whenever the prediction is a tick off. kHalfTick is where it starts and what an exact time leaves.
constexpr uint64_t kWholeTick = uint64_t{1} << 32;
constexpr uint32_t kHalfTick = uint32_t{1} << 31;
constexpr uint32_t kLastFraction = 0xffffffff;

enum Column : uint32_t {
    kActions,
    kTimes,
    kWide,
    kTimeExtra,
    kEscapes,
    kColumnCount,
};

// The payload of a record block: this directory, then the columns in the order of their numbers, without gaps.
struct Directory {
    uint64_t base_ticks;  // time of the first record
    uint64_t step;        // ticks per clock step, 32.32 fixed point; at least kWholeTick
    uint32_t record_count;
    uint32_t pair_count;
    uint32_t column_bytes[kColumnCount];
    uint32_t reserved;
};
static_assert(sizeof(Directory) == 48);

constexpr uint64_t zigzag(int64_t value) {
    return static_cast<uint64_t>(value) << 1 ^ static_cast<uint64_t>(value >> 63);
}
constexpr int64_t unzigzag(uint64_t code) { return static_cast<int64_t>(code >> 1 ^ (0 - (code & 1))); }

// Difference of two 48-bit addresses, modulo 2^48, nearest to zero.
constexpr int64_t address_difference(uint64_t to, uint64_t from) {
    return static_cast<int64_t>((to - from) << (64 - kAddressBits)) >> (64 - kAddressBits);
}

}  // namespace fnprof::format
