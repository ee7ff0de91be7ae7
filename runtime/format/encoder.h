// Encodes the slots of up to kMaxChunksPerBlock chunks of one thread into the payload of a record block (codec.h).
//
// Runs in the profiled process, on any thread, on a small stack: no allocation, no library call, no static data; all its state is
// in the EncoderWorkspace, which the caller hands over as zeroed memory once and may use for any number of blocks.
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
    uint32_t pair_count;   // distinct (function, call site); the first kMaxPairs of them stand in EncoderWorkspace::pairs
    uint64_t first_ticks;  // smallest and greatest time; 0 when there is no record
    uint64_t last_ticks;
    ColumnSpan columns[1 + kColumnCount];  // the directory, then the columns that are not empty: contiguous memory
    uint32_t column_count;
    uint32_t payload_bytes;
};

// Each table entry is stamped with the generation of the block that wrote it, so that a new block starts with empty tables
// without touching them.
struct EncoderWorkspace {
    struct Pair {
        uint64_t function;
        uint64_t site;
    };
    struct Symbol {
        uint32_t pair;
        uint32_t step;
    };
    struct Frame {
        uint64_t function;
        uint64_t site;
        uint32_t stack;
        uint32_t pair;
    };
    static constexpr uint32_t kHashBits = 14;
    static constexpr uint32_t kHashSize = 1u << kHashBits;

    uint32_t generation;  // 1 .. 0xffff; 0 before the first block
    ClockStep clock;
    Pair pairs[kMaxPairs];
    uint32_t exit_steps[kMaxPairs];
    Symbol symbols[kMaxSymbols];
    Frame frames[kStackDepth];
    uint32_t pair_table[kHashSize];      // generation << 16 | pair
    uint32_t function_table[kHashSize];  // generation << 16 | pair that introduced the function; a hint, may be overwritten
    uint32_t symbol_table[kHashSize];    // generation << 16 | symbol
};

// Most bytes that a record adds: action, wide, time and its extra bytes, escape operation with a new pair.
constexpr size_t kMaxTimeExtraBytes = 10;
constexpr size_t kMaxEscapeBytes = 1 + 3 + 8 + 7 + 5;
constexpr size_t encoded_bound(uint32_t slots) {
    return sizeof(Directory) + size_t{slots} * (3 + kMaxTimeExtraBytes + kMaxEscapeBytes);
}

class BlockEncoder {
  public:
    BlockEncoder(EncoderWorkspace& workspace, uint32_t slots, uint8_t* out)
        : work_(workspace),
          actions_(out + sizeof(Directory)),
          times_(actions_ + slots),
          wide_(times_ + slots),
          extra_(wide_ + slots),
          escapes_(extra_ + slots * kMaxTimeExtraBytes),
          out_(out),
          begin_{actions_, times_, wide_, extra_, escapes_} {
        start_generation();
    }

    EncodeResult encode(const ChunkInput* chunks, uint32_t chunk_count, TornPolicy policy) {
        EncodeResult result{};
        clock_step_sample(work_.clock, chunks[0].slots, chunks[0].used_slots, chunks[0].stale_ticks);
        step_ = work_.clock.step;
        steps_per_tick_ = work_.clock.inverse;
        for (uint32_t i = 0; i < chunk_count; ++i) {
            if (!encode_chunk(chunks[i], policy, result)) {
                result.refused = true;
                return result;
            }
            clock_step_refine(work_.clock, base_ticks_, last_ticks_);
        }
        finish(result);
        return result;
    }

  private:
    using Frame = EncoderWorkspace::Frame;

    bool encode_chunk(const ChunkInput& chunk, TornPolicy policy, EncodeResult& result) {
        for (uint32_t i = 0; i < chunk.used_slots; ++i) {
            const Slot& slot = chunk.slots[i];
            // Pairs with the hook's store of the time word, which commits the two words before it.
            const uint64_t time_word = __atomic_load_n(&slot.time_word, __ATOMIC_ACQUIRE);
            const uint64_t ticks = ticks_of(time_word);
            const uint64_t kind = time_word & kKindMask;
            if (ticks <= chunk.stale_ticks || kind - 1 >= kKindCount - 1) {
                if (policy == TornPolicy::kRefuse) return false;
                ++result.torn_count;
                continue;
            }
            if (record_count_++ == 0) start_time(ticks);
            put_time(ticks);
            put_record(static_cast<Kind>(kind), slot);
        }
        return true;
    }

    void put_record(Kind kind, const Slot& slot) {
        const uint64_t function = function_of(slot);
        const uint64_t site = site_of(slot);
        const uint32_t stack = stack_of(slot);
        if (kind == Kind::kExit && depth_ != bottom_) {
            const Frame& top = frame(depth_ - 1);
            if (top.function == function && top.site == site && top.stack + work_.exit_steps[top.pair] == stack) {
                --depth_;
                last_stack_ = stack;
                *actions_++ = kActionExit;
                return;
            }
        } else if (kind == Kind::kEnter) {
            const uint32_t step = stack - top_stack();
            const uint32_t symbol = find_symbol(function, site, step);
            if (symbol < kMaxSymbols) {
                push(function, site, stack, work_.symbols[symbol].pair);
                last_stack_ = stack;
                if (symbol < kNarrowSymbols) {
                    *actions_++ = static_cast<uint8_t>(kActionEnter + symbol);
                } else {
                    *actions_++ = static_cast<uint8_t>(kActionWide + (symbol - kNarrowSymbols) / 256);
                    *wide_++ = static_cast<uint8_t>(symbol - kNarrowSymbols);
                }
                return;
            }
        }
        put_escape(kind, function, site, stack);
        last_stack_ = stack;
    }

    __attribute__((noinline)) void put_escape(Kind kind, uint64_t function, uint64_t site, uint32_t stack) {
        *actions_++ = kActionEscape;
        if (kind == Kind::kExit && put_pop(function, site, stack)) return;
        put_byte(static_cast<uint8_t>(kind));
        const uint32_t pair = put_pair(function, site);
        if (kind != Kind::kEnter) {
            put_signed(stack - last_stack_);
            return;
        }
        const uint32_t step = stack - top_stack();
        put_signed(step);
        if (pair >= kMaxPairs) return;
        if (symbol_count_ < kMaxSymbols) {
            work_.symbols[symbol_count_] = {pair, step};
            work_.symbol_table[free_symbol_slot(function, site, step)] = work_.generation << 16 | symbol_count_;
            ++symbol_count_;
        }
        push(function, site, stack, pair);
    }

    // An exit that belongs to an entry near the top: the entry's place says the pair.
    bool put_pop(uint64_t function, uint64_t site, uint32_t stack) {
        constexpr uint32_t kSearchDepth = 64;  // how many dead entries a longjmp or throw may leave before their callers cost more
        const uint32_t held = depth_ - bottom_;
        for (uint32_t pops = 1; pops <= held && pops <= kSearchDepth; ++pops) {
            const Frame& entry = frame(depth_ - pops);
            if (entry.function != function || entry.site != site) continue;
            put_byte(kOpPop);
            put_varint(escapes_, pops);
            put_signed(stack - (entry.stack + work_.exit_steps[entry.pair]));
            work_.exit_steps[entry.pair] = stack - entry.stack;
            depth_ -= pops;
            return true;
        }
        return false;
    }

    // Writes a reference to the pair, or its definition; returns its number.
    uint32_t put_pair(uint64_t function, uint64_t site) {
        uint32_t at = hash(function, site, 0);
        for (;; at = (at + 1) % EncoderWorkspace::kHashSize) {
            const uint32_t entry = work_.pair_table[at];
            if (entry >> 16 != work_.generation) break;
            const uint32_t pair = entry & 0xffff;
            if (work_.pairs[pair].function == function && work_.pairs[pair].site == site) {
                put_varint(escapes_, pair + 1);
                return pair;
            }
        }
        put_byte(0);
        put_function(function);
        put_varint(escapes_, zigzag(address_difference(site, depth_ != bottom_ ? frame(depth_ - 1).function : last_site_)));
        last_site_ = site;
        const uint32_t pair = pair_count_++;
        if (pair < kMaxPairs) {
            work_.pairs[pair] = {function, site};
            work_.exit_steps[pair] = 0;
            work_.pair_table[at] = work_.generation << 16 | pair;
        }
        return pair;
    }

    // The function of a new pair: that of an earlier pair, or its distance from the last one that was spelled out.
    void put_function(uint64_t function) {
        uint32_t& hint = work_.function_table[hash(function, 0, 0)];
        if (hint >> 16 == work_.generation && work_.pairs[hint & 0xffff].function == function) {
            put_varint(escapes_, (hint & 0xffff) + 1);
            return;
        }
        if (pair_count_ < kMaxPairs) hint = work_.generation << 16 | pair_count_;
        put_byte(0);
        put_varint(escapes_, zigzag(address_difference(function, last_function_)));
        last_function_ = function;
    }

    uint32_t find_symbol(uint64_t function, uint64_t site, uint32_t step) const {
        for (uint32_t at = hash(function, site, step);; at = (at + 1) % EncoderWorkspace::kHashSize) {
            const uint32_t entry = work_.symbol_table[at];
            if (entry >> 16 != work_.generation) return kMaxSymbols;
            const EncoderWorkspace::Symbol& symbol = work_.symbols[entry & 0xffff];
            const EncoderWorkspace::Pair& pair = work_.pairs[symbol.pair];
            if (symbol.step == step && pair.function == function && pair.site == site) return entry & 0xffff;
        }
    }

    uint32_t free_symbol_slot(uint64_t function, uint64_t site, uint32_t step) const {
        uint32_t at = hash(function, site, step);
        while (work_.symbol_table[at] >> 16 == work_.generation) at = (at + 1) % EncoderWorkspace::kHashSize;
        return at;
    }

    static uint32_t hash(uint64_t function, uint64_t site, uint32_t step) {
        const uint64_t mixed = (function ^ (site + step) << 20 ^ site) * 0x9e3779b97f4a7c15;  // 2^64 / golden ratio
        return static_cast<uint32_t>(mixed >> (64 - EncoderWorkspace::kHashBits));
    }

    Frame& frame(uint32_t index) { return work_.frames[index % kStackDepth]; }
    uint32_t top_stack() { return depth_ != bottom_ ? frame(depth_ - 1).stack : last_stack_; }

    void push(uint64_t function, uint64_t site, uint32_t stack, uint32_t pair) {
        frame(depth_++) = {function, site, stack, pair};
        if (depth_ - bottom_ > kStackDepth) ++bottom_;
    }

    void start_time(uint64_t ticks) {
        base_ticks_ = last_ticks_ = least_ticks_ = greatest_ticks_ = ticks;
        fraction_ = kHalfTick;
    }

    void put_time(uint64_t ticks) {
        const uint64_t delta = ticks - last_ticks_;
        if (delta < kWholeTick / 2) {
            const uint64_t steps = steps_in(delta, steps_per_tick_);
            const uint64_t moved = fraction_ + steps * step_;
            if (moved >> 32 == delta && steps < kTimeByte) {
                fraction_ = static_cast<uint32_t>(moved);
                last_ticks_ = ticks;
                *times_++ = static_cast<uint8_t>(steps);
                return;
            }
        }
        put_long_time(ticks);
    }

    __attribute__((noinline)) void put_long_time(uint64_t ticks) {
        const uint64_t delta = ticks - last_ticks_;
        if (ticks < last_ticks_) {
            if (last_ticks_ > greatest_ticks_) greatest_ticks_ = last_ticks_;
            if (ticks < least_ticks_) least_ticks_ = ticks;
        }
        last_ticks_ = ticks;
        if (delta < kWholeTick / 2) {
            const uint64_t steps = steps_in(delta, steps_per_tick_);
            const uint64_t moved = fraction_ + steps * step_;
            const uint64_t error = delta - (moved >> 32);
            if (steps < kTimeLimit && error + 1 <= 2) {
                misfits_ += error != 0;
                fraction_ = error == 0 ? static_cast<uint32_t>(moved) : error == 1 ? 0 : kLastFraction;
                put_steps(static_cast<uint32_t>(steps), error);
                return;
            }
        }
        *times_++ = kTimeExact;
        misfits_ += delta < kTimeLimit;
        put_varint(extra_, zigzag(static_cast<int64_t>(delta)));
        fraction_ = kHalfTick;
    }

    void put_steps(uint32_t steps, uint64_t error) {
        if (error != 0) {
            *times_++ = error == 1 ? kTimeLate : kTimeEarly;
            put_varint(extra_, steps);
        } else if (steps < kTimeWordBase) {
            *times_++ = static_cast<uint8_t>(kTimeByte + (steps - kTimeByte) / 256);
            *extra_++ = static_cast<uint8_t>(steps - kTimeByte);
        } else {
            const uint32_t rest = steps - kTimeWordBase;
            *times_++ = static_cast<uint8_t>(kTimeWord + rest / 65536);
            *extra_++ = static_cast<uint8_t>(rest);
            *extra_++ = static_cast<uint8_t>(rest >> 8);
        }
    }

    void put_byte(uint8_t byte) { *escapes_++ = byte; }
    void put_signed(uint32_t difference) { put_varint(escapes_, zigzag(static_cast<int32_t>(difference))); }

    static void put_varint(uint8_t*& at, uint64_t value) {
        for (; value >= 0x80; value >>= 7) *at++ = static_cast<uint8_t>(value | 0x80);
        *at++ = static_cast<uint8_t>(value);
    }

    void start_generation() {
        if (++work_.generation <= 0xffff) return;
        for (uint32_t i = 0; i < EncoderWorkspace::kHashSize; ++i) {
            work_.pair_table[i] = work_.function_table[i] = work_.symbol_table[i] = 0;
        }
        work_.generation = 1;
    }

    // Closes the gaps between the columns and writes the directory in front of them.
    void finish(EncodeResult& result) {
        Directory directory{};
        directory.base_ticks = base_ticks_;
        directory.step = step_;
        directory.record_count = record_count_;
        directory.pair_count = pair_count_;
        const uint8_t* ends[kColumnCount] = {actions_, times_, wide_, extra_, escapes_};
        uint8_t* to = out_ + sizeof(Directory);
        result.columns[result.column_count++] = {out_, sizeof(Directory)};
        for (uint32_t column = 0; column < kColumnCount; ++column) {
            const uint8_t* from = begin_[column];
            const auto bytes = static_cast<uint32_t>(ends[column] - from);
            directory.column_bytes[column] = bytes;
            if (bytes == 0) continue;
            result.columns[result.column_count++] = {to, bytes};
            if (from == to) {
                to += bytes;
            } else {
                for (uint32_t i = 0; i < bytes; ++i) *to++ = *from++;  // downwards in memory: overlap is harmless
            }
        }
        __builtin_memcpy(out_, &directory, sizeof directory);
        if (misfits_ > record_count_ / 8) work_.clock.doubtful = true;
        if (last_ticks_ > greatest_ticks_) greatest_ticks_ = last_ticks_;
        result.record_count = record_count_;
        result.pair_count = pair_count_;
        result.first_ticks = least_ticks_;
        result.last_ticks = greatest_ticks_;
        result.payload_bytes = static_cast<uint32_t>(to - out_);
    }

    EncoderWorkspace& work_;
    uint8_t* actions_;
    uint8_t* times_;
    uint8_t* wide_;
    uint8_t* extra_;
    uint8_t* escapes_;
    uint8_t* out_;
    const uint8_t* begin_[kColumnCount];

    uint64_t base_ticks_ = 0;
    uint64_t last_ticks_ = 0;
    uint64_t least_ticks_ = 0;
    uint64_t greatest_ticks_ = 0;
    uint64_t step_ = kWholeTick;
    uint64_t steps_per_tick_ = kWholeTick;
    uint32_t misfits_ = 0;  // times that are no multiple of the step
    uint32_t fraction_ = kHalfTick;
    uint32_t record_count_ = 0;
    uint32_t pair_count_ = 0;
    uint32_t symbol_count_ = 0;
    uint32_t depth_ = 0;   // entries pushed minus entries popped
    uint32_t bottom_ = 0;  // of those, forgotten ones
    uint32_t last_stack_ = 0;
    uint64_t last_function_ = 0;
    uint64_t last_site_ = 0;
};

// `out` holds at least encoded_bound(sum of used_slots) bytes, else the block is refused. A refused call leaves nothing behind that
// matters: it may be repeated.
[[nodiscard]] inline EncodeResult encode_block(EncoderWorkspace& workspace, const ChunkInput* chunks, uint32_t chunk_count,
                                               TornPolicy policy, uint8_t* out, size_t capacity) {
    uint32_t slots = 0;
    for (uint32_t i = 0; i < chunk_count; ++i) slots += chunks[i].used_slots;
    if (chunk_count == 0 || slots > kMaxRecordsPerBlock || capacity < encoded_bound(slots)) {
        EncodeResult result{};
        result.refused = true;
        return result;
    }
    return BlockEncoder(workspace, slots, out).encode(chunks, chunk_count, policy);
}

}  // namespace fnprof::format
