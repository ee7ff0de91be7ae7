// Encodes the slots of up to kMaxChunksPerBlock chunks of one thread into the payload of a record block (codec.h).
//
// Runs in the profiled process, on any thread, on a small stack: no allocation, no library call, no static data; all its state is
// in the EncoderWorkspace, which the caller hands over as zeroed memory once and may use for any number of blocks.
#pragma once

#include <cstddef>
#include <cstdint>

#include "format/clock_step.h"
#include "format/codec.h"
#include "format/encoder_workspace.h"
#include "format/layout.h"

namespace fnprof::format {

class BlockEncoder {
  public:
    BlockEncoder(EncoderWorkspace& workspace, uint32_t slots, uint8_t* out)
        : work_(workspace), payload_(out), slots_(slots), top_(workspace.frames) {
        actions_ = out + sizeof(Directory);
        times_ = actions_ + slots;
        wide_ = times_ + slots;
        extra_ = wide_ + slots;
        escapes_ = extra_ + slots * kMaxTimeExtraBytes;
        work_.frames[0] = {0, 0, 0, 0};
    }

    EncodeResult encode(const ChunkInput* chunks, uint32_t chunk_count, TornPolicy policy) {
        EncodeResult result{};
        clock_step_sample(work_.clock, chunks[0].slots, chunks[0].used_slots, chunks[0].stale_ticks);
        step_ = work_.clock.step;
        inverse_ = work_.clock.inverse;
        for (uint32_t i = 0; i < chunk_count; ++i) {
            put_times(chunks[i]);
            if (torn_count_ != 0 && policy == TornPolicy::kRefuse) {
                result.refused = true;
                return result;
            }
            put_actions(chunks[i]);
            clock_step_refine(work_.clock, base_ticks_, ticks_);
        }
        finish(result);
        return result;
    }

  private:
    using Frame = EncoderWorkspace::Frame;

    static constexpr uint64_t kNoTime = uint64_t{1} << 63;  // further from any time than a short step

    // The time column first, since that is one simple loop and the rest another; it also decides which slots are torn. The loop does
    // what nearly all times are: a short step after the one before.
    void put_times(const ChunkInput& chunk) {
        uint8_t* kinds = work_.kinds;
        const uint64_t stale_ticks = chunk.stale_ticks;
        const uint64_t step = step_;
        const uint64_t inverse = inverse_;
        uint8_t* times = times_;
        uint64_t last = ticks_;
        uint64_t fraction = fraction_;
        const Slot* const end = chunk.slots + chunk.used_slots;
        for (const Slot* slot = chunk.slots; slot != end; ++slot, ++kinds) {
            // Pairs with the hook's store of the time word, which commits the two words before it.
            const uint64_t time_word = __atomic_load_n(&slot->time_word, __ATOMIC_ACQUIRE);
            const uint64_t ticks = ticks_of(time_word);
            *kinds = static_cast<uint8_t>(time_word & kKindMask);
            if (ticks <= stale_ticks || (time_word & kKindMask) == 0) {
                *kinds = 0;
                ++torn_count_;
                continue;
            }
            const uint64_t steps = steps_in(ticks - last, inverse);
            const uint64_t moved = fraction + steps * step;
            if (steps < kTimeByte && moved >> 32 == ticks - last) {
                *times++ = static_cast<uint8_t>(steps);
                fraction = static_cast<uint32_t>(moved);
                last = ticks;
                continue;
            }
            times_ = times;
            ticks_ = last;
            fraction_ = static_cast<uint32_t>(fraction);
            put_time(ticks);
            times = times_;
            last = ticks_;
            fraction = fraction_;
        }
        times_ = times;
        ticks_ = last;
        fraction_ = static_cast<uint32_t>(fraction);
    }

    // The loop does what nearly all records are: a predicted exit, or the enter of a symbol that is where its hash says.
    void put_actions(const ChunkInput& chunk) {
        EncoderWorkspace& work = work_;
        Frame* const empty = work.frames;
        uint8_t* actions = actions_;
        Frame* top = top_;
        const uint8_t* kinds = work.kinds;
        const Slot* const end = chunk.slots + chunk.used_slots;
        for (const Slot* slot = chunk.slots; slot != end; ++slot) {
            // Single loads: the compiler would make vectors of them, and pay with a trip through memory.
            const uint64_t function_word = __atomic_load_n(&slot->function_word, __ATOMIC_RELAXED);
            const uint64_t site_word = __atomic_load_n(&slot->site_word, __ATOMIC_RELAXED);
            const auto kind = static_cast<Kind>(*kinds++);
            if (kind == Kind::kExit) {
                if (((function_word ^ top->function_word) | (site_word ^ top->site_word)) == 0 && top != empty) {
                    *actions++ = kActionExit;
                    empty->stack = stack_of({function_word, site_word, 0});
                    --top;
                    continue;
                }
            } else if (kind == Kind::kEnter && top != empty + kStackDepth) {
                const uint32_t stack = stack_of({function_word, site_word, 0});
                const uint32_t number = guess_symbol(function_word << 16, site_word << 16, stack - top->stack);
                if (number < symbol_count_) {
                    *actions++ = put_symbol(number);
                    const uint32_t pair = work.symbols[number].pair;
                    *++top = {function_word, site_word, stack, pair};
                    if (work.pairs[pair].exit_step != 0) predict_exit(*top);
                    continue;
                }
            } else if (kind == Kind::kNone) {
                continue;
            }
            top_ = top;
            *actions++ = put_record(kind, function_word << 16, site_word << 16, stack_of({function_word, site_word, 0}));
            top = top_;
        }
        actions_ = actions;
        top_ = top;
    }

    // The symbol, if it is the first that its hash leads to; else anything not below symbol_count_.
    uint32_t guess_symbol(uint64_t function, uint64_t site, uint32_t step) const {
        const uint32_t number = work_.symbol_table[hash(function, site, step)];
        const EncoderWorkspace::Symbol& symbol = work_.symbols[number];
        return ((symbol.function ^ function) | (symbol.site ^ site) | (symbol.step ^ step)) == 0 ? number : kMaxSymbols;
    }

    // Returns the action. Here and below, addresses are shifted left by 16 bits.
    __attribute__((noinline)) uint8_t put_record(Kind kind, uint64_t function, uint64_t site, uint32_t stack) {
        if (kind == Kind::kEnter) return put_enter(function, site, stack);
        uint8_t action = kActionEscape;
        if (kind != Kind::kExit || !put_pop(function, site, stack, action)) {
            put_byte(static_cast<uint8_t>(kind));
            put_pair(function, site);
            put_signed(stack - top_->stack);
        }
        if (kind == Kind::kExit) work_.frames[0].stack = stack;
        return action;
    }

    uint8_t put_enter(uint64_t function, uint64_t site, uint32_t stack) {
        const uint32_t step = stack - top_->stack;
        uint32_t at = hash(function, site, step);
        for (; is_symbol(at); at = (at + 1) % EncoderWorkspace::kHashSize) {
            const uint32_t number = work_.symbol_table[at];
            const EncoderWorkspace::Symbol& symbol = work_.symbols[number];
            if (symbol.function != function || symbol.site != site || symbol.step != step) continue;
            push(function, site, stack, symbol.pair);
            return put_symbol(number);
        }
        put_byte(static_cast<uint8_t>(Kind::kEnter));
        const uint32_t pair = put_pair(function, site);
        put_signed(step);
        if (pair >= kMaxPairs) return kActionEscape;
        if (symbol_count_ < kMaxSymbols) {
            work_.symbols[symbol_count_] = {function, site, step, static_cast<uint16_t>(pair), static_cast<uint16_t>(at)};
            work_.symbol_table[at] = static_cast<uint16_t>(symbol_count_++);
        }
        push(function, site, stack, pair);
        return kActionEscape;
    }

    // The action of a known symbol's enter.
    uint8_t put_symbol(uint32_t symbol) {
        if (symbol < kNarrowSymbols) return static_cast<uint8_t>(kActionEnter + symbol);
        *wide_++ = static_cast<uint8_t>(symbol - kNarrowSymbols);
        return static_cast<uint8_t>(kActionWide + (symbol - kNarrowSymbols) / 256);
    }

    // An exit that belongs to an entry near the top: the entry's place says the pair.
    bool put_pop(uint64_t function, uint64_t site, uint32_t stack, uint8_t& action) {
        constexpr uint32_t kSearchDepth = 64;  // how many dead entries a longjmp or throw may leave before their callers cost more
        Frame* entry = top_;
        for (uint32_t pops = 1; pops <= kSearchDepth && entry != work_.frames; ++pops, --entry) {
            if (entry->function_word << 16 != function || entry->site_word << 16 != site) continue;
            const uint32_t predicted = stack_of({entry->function_word, entry->site_word, 0});
            top_ = entry - 1;
            if (pops == 1 && stack == predicted) {
                action = kActionExit;
                return true;
            }
            put_byte(kOpPop);
            put_varint(escapes_, pops);
            put_signed(stack - predicted);
            work_.pairs[entry->pair].exit_step = stack - entry->stack;
            return true;
        }
        return false;
    }

    // Writes a reference to the pair, or its definition; returns its number.
    uint32_t put_pair(uint64_t function, uint64_t site) {
        uint32_t at = hash(function, site, 0);
        for (; is_pair(at); at = (at + 1) % EncoderWorkspace::kHashSize) {
            const uint32_t number = work_.pair_table[at];
            if (work_.pairs[number].function != function >> 16 || work_.pairs[number].site != site >> 16) continue;
            put_varint(escapes_, number + 1);
            return number;
        }
        put_byte(0);
        put_function(function);
        const uint64_t origin = top_ == work_.frames ? last_site_ : top_->function_word << 16;
        put_varint(escapes_, zigzag(static_cast<int64_t>(site - origin) >> 16));
        last_site_ = site;
        const uint32_t number = pair_count_++;
        if (number < kMaxPairs) {
            work_.pairs[number] = {function >> 16, site >> 16, 0, at};
            work_.pair_table[at] = static_cast<uint16_t>(number);
        }
        return number;
    }

    // The function of a new pair: that of an earlier pair, or its distance from the last one that was spelled out.
    void put_function(uint64_t function) {
        uint16_t& hint = work_.function_table[hash(function, 0, 0)];
        if (hint < known_pairs() && work_.pairs[hint].function == function >> 16) {
            put_varint(escapes_, hint + 1u);
            return;
        }
        if (pair_count_ < kMaxPairs) hint = static_cast<uint16_t>(pair_count_);
        put_byte(0);
        put_varint(escapes_, zigzag(static_cast<int64_t>(function - last_function_) >> 16));
        last_function_ = function;
    }

    // Whether an entry of a hash table is in use.
    bool is_symbol(uint32_t at) const {
        const uint32_t number = work_.symbol_table[at];
        return number < symbol_count_ && work_.symbols[number].at == at;
    }
    bool is_pair(uint32_t at) const {
        const uint32_t number = work_.pair_table[at];
        return number < known_pairs() && work_.pairs[number].at == at;
    }
    uint32_t known_pairs() const { return pair_count_ < kMaxPairs ? pair_count_ : kMaxPairs; }

    static uint32_t hash(uint64_t function, uint64_t site, uint32_t step) {
        const uint64_t mixed = (function ^ site * 5 ^ step) * 0x9e3779b97f4a7c15;  // 2^64 / golden ratio
        return static_cast<uint32_t>(mixed >> (64 - EncoderWorkspace::kHashBits));
    }

    // Makes the words of an enter those of its predicted exit.
    void predict_exit(Frame& entry) const {
        const uint32_t exit_stack = entry.stack + work_.pairs[entry.pair].exit_step;
        const Slot exit = make_slot(Kind::kExit, entry.function_word, entry.site_word, exit_stack, 0);
        entry.function_word = exit.function_word;
        entry.site_word = exit.site_word;
    }

    // A full stack forgets its older half.
    void push(uint64_t function, uint64_t site, uint32_t stack, uint32_t pair) {
        if (top_ == work_.frames + kStackDepth) {
            for (uint32_t i = 1; i <= kStackDepth / 2; ++i) work_.frames[i] = work_.frames[i + kStackDepth / 2];
            top_ -= kStackDepth / 2;
        }
        const Slot enter = make_slot(Kind::kEnter, function >> 16, site >> 16, stack, 0);
        *++top_ = {enter.function_word, enter.site_word, stack, pair};
        predict_exit(*top_);
    }

    __attribute__((noinline)) void put_time(uint64_t ticks) {
        if (ticks_ == kNoTime) base_ticks_ = least_ticks_ = greatest_ticks_ = ticks_ = ticks;
        const uint64_t delta = ticks - ticks_;
        if (ticks < ticks_) {
            if (ticks_ > greatest_ticks_) greatest_ticks_ = ticks_;
            if (ticks < least_ticks_) least_ticks_ = ticks;
        }
        ticks_ = ticks;
        if (delta < kWholeTick / 2) {
            const uint64_t steps = steps_in(delta, inverse_);
            const uint64_t moved = fraction_ + steps * step_;
            const uint64_t error = delta - (moved >> 32);
            if (steps < kTimeLimit && error + 1 <= 2) {
                misfits_ += error != 0;
                fraction_ = error == 0 ? static_cast<uint32_t>(moved) : error == 1 ? 0 : kLastFraction;
                put_steps(static_cast<uint32_t>(steps), error);
                return;
            }
        }
        put_time_code(kTimeExact);
        misfits_ += delta < kTimeLimit;
        put_varint(extra_, zigzag(static_cast<int64_t>(delta)));
        fraction_ = kHalfTick;
    }

    // `error`: 0, or by how much the time is later than predicted, modulo 2^64.
    void put_steps(uint32_t steps, uint64_t error) {
        if (error != 0) {
            put_time_code(error == 1 ? kTimeLate : kTimeEarly);
            put_varint(extra_, steps);
        } else if (steps < kTimeByte) {
            put_time_code(steps);
        } else if (steps < kTimeWordBase) {
            put_time_code(kTimeByte + (steps - kTimeByte) / 256);
            *extra_++ = static_cast<uint8_t>(steps - kTimeByte);
        } else {
            const uint32_t rest = steps - kTimeWordBase;
            put_time_code(kTimeWord + rest / 65536);
            *extra_++ = static_cast<uint8_t>(rest);
            *extra_++ = static_cast<uint8_t>(rest >> 8);
        }
    }

    void put_time_code(uint32_t code) { *times_++ = static_cast<uint8_t>(code); }
    void put_byte(uint8_t byte) { *escapes_++ = byte; }
    void put_signed(uint32_t difference) { put_varint(escapes_, zigzag(static_cast<int32_t>(difference))); }

    static void put_varint(uint8_t*& at, uint64_t value) {
        for (; value >= 0x80; value >>= 7) *at++ = static_cast<uint8_t>(value | 0x80);
        *at++ = static_cast<uint8_t>(value);
    }

    // Closes the gaps between the columns and writes the directory in front of them.
    void finish(EncodeResult& result) {
        const uint8_t* const actions = payload_ + sizeof(Directory);
        const auto record_count = static_cast<uint32_t>(actions_ - actions);
        const uint8_t* const wide = actions + 2 * size_t{slots_};
        const uint8_t* const extra = wide + slots_;
        const uint8_t* const escapes = extra + slots_ * kMaxTimeExtraBytes;
        const uint8_t* const begins[kColumnCount] = {actions, actions + slots_, wide, extra, escapes};
        const uint8_t* const ends[kColumnCount] = {actions_, times_, wide_, extra_, escapes_};
        Directory directory{};
        directory.base_ticks = base_ticks_;
        directory.step = step_;
        directory.record_count = record_count;
        directory.pair_count = pair_count_;
        uint8_t* to = payload_ + sizeof(Directory);
        result.columns[result.column_count++] = {payload_, sizeof(Directory)};
        for (uint32_t column = 0; column < kColumnCount; ++column) {
            const uint8_t* from = begins[column];
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
        __builtin_memcpy(payload_, &directory, sizeof directory);
        if (misfits_ > record_count / 8) work_.clock.doubtful = true;
        result.record_count = record_count;
        result.torn_count = torn_count_;
        result.pair_count = pair_count_;
        result.symbol_count = symbol_count_;
        result.first_ticks = least_ticks_;
        result.last_ticks = record_count != 0 && ticks_ > greatest_ticks_ ? ticks_ : greatest_ticks_;
        result.payload_bytes = static_cast<uint32_t>(to - payload_);
    }

    EncoderWorkspace& work_;
    uint8_t* const payload_;
    const uint32_t slots_;
    uint8_t* actions_;  // where the next byte of each column goes
    uint8_t* times_;
    uint8_t* wide_;
    uint8_t* extra_;
    uint8_t* escapes_;
    Frame* top_;  // of the stack; frames[0] stands for the empty one, with the last exit's stack pointer
    uint64_t ticks_ = kNoTime;       // of the last record
    uint32_t fraction_ = kHalfTick;  // of a tick, see codec.h
    uint64_t step_ = kWholeTick;
    uint64_t inverse_ = 0;
    uint64_t base_ticks_ = 0;
    uint64_t least_ticks_ = 0;
    uint64_t greatest_ticks_ = 0;
    uint32_t misfits_ = 0;  // times that are no multiple of the step
    uint32_t torn_count_ = 0;
    uint32_t pair_count_ = 0;
    uint32_t symbol_count_ = 0;
    uint64_t last_function_ = 0;  // spelled out; shifted
    uint64_t last_site_ = 0;      // of the last new pair; shifted
};

// `out` holds at least encoded_bound(sum of used_slots) bytes, else the block is refused, as are more slots than a chunk or
// chunks than a block can have. A refused call leaves nothing behind that matters: it may be repeated.
[[nodiscard]] inline EncodeResult encode_block(EncoderWorkspace& workspace, const ChunkInput* chunks, uint32_t chunk_count,
                                               TornPolicy policy, uint8_t* out, size_t capacity) {
    uint32_t slots = 0;
    bool sound = chunk_count != 0 && chunk_count <= kMaxChunksPerBlock;
    for (uint32_t i = 0; sound && i < chunk_count; ++i) {
        sound = chunks[i].used_slots <= kSlotsPerChunk;
        slots += chunks[i].used_slots;
    }
    if (!sound || capacity < encoded_bound(slots)) {
        EncodeResult result{};
        result.refused = true;
        return result;
    }
    return BlockEncoder(workspace, slots, out).encode(chunks, chunk_count, policy);
}

}  // namespace fnprof::format
