// Decodes the payload of a record block (codec.h). The bytes may be anything: every read is checked, and work and memory are bounded
// by kMaxRecordsPerBlock. Only the analyzer's side includes this; it may use the standard library.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

#include "format/codec.h"
#include "format/decoded_block.h"
#include "format/layout.h"

namespace fnprof::format {

// Bytes of one column, read from the front.
struct ColumnReader {
    const uint8_t* at = nullptr;
    const uint8_t* end = nullptr;

    bool byte(uint8_t& value) {
        if (at == end) return false;
        value = *at++;
        return true;
    }

    DecodeError varint(uint64_t& value) {
        value = 0;
        for (unsigned shift = 0; shift < 64; shift += 7) {
            if (at == end) return DecodeError::kColumnEnd;
            const uint8_t byte = *at++;
            if (shift == 63 && byte > 1) return DecodeError::kBadVarint;
            value |= static_cast<uint64_t>(byte & 0x7f) << shift;
            if (byte < 0x80) return DecodeError::kNone;
        }
        return DecodeError::kBadVarint;
    }
};

class BlockDecoder {
  public:
    // On error `out` holds the records before the fault.
    DecodeStatus decode(const uint8_t* payload, size_t bytes, DecodedBlock& out) {
        out.symbols.clear();
        symbols_ = &out.symbols;
        payload_ = payload;
        const DecodeStatus status = read_directory(bytes);
        // What was there before is overwritten; clearing it first would cost as much as a tenth of the decoding.
        out.events.resize(status ? directory_.record_count : 0);
        if (!status) return status;
        out.symbols.reserve(directory_.pair_count);
        const DecodeError error = decode_records(out.events.data());
        if (error == DecodeError::kNone) return finish();
        out.events.resize(record_);
        return {error, static_cast<size_t>(fault_ - payload)};
    }

  private:
    DecodeStatus read_directory(size_t bytes) {
        if (bytes < sizeof(Directory)) return {DecodeError::kNoDirectory, bytes};
        std::memcpy(&directory_, payload_, sizeof directory_);
        if (directory_.record_count > kMaxRecordsPerBlock) return fail(DecodeError::kTooManyRecords, &directory_.record_count);
        if (directory_.pair_count > directory_.record_count) return fail(DecodeError::kTooManyRecords, &directory_.pair_count);
        if (directory_.step < kWholeTick) return fail(DecodeError::kBadClockStep, &directory_.step);
        const uint8_t* at = payload_ + sizeof(Directory);
        size_t left = bytes - sizeof(Directory);
        for (uint32_t column = 0; column < kColumnCount; ++column) {
            const uint32_t size = directory_.column_bytes[column];
            if (size > left || (column <= kTimes && size != directory_.record_count)) {
                return fail(DecodeError::kColumnSizes, &directory_.column_bytes[column]);
            }
            columns_[column] = {at, at + size};
            at += size;
            left -= size;
        }
        if (left != 0) return {DecodeError::kColumnSizes, bytes - left};
        return {};
    }

    // What an Event holds beside the time, in one word: written and read again soon after, both times whole.
    using Tail = uint64_t;
    static constexpr Tail tail_of(uint32_t pair, uint32_t stack) { return pair | static_cast<uint64_t>(stack) << 32; }
    static constexpr uint32_t pair_of(Tail tail) { return static_cast<uint32_t>(tail); }
    static constexpr uint32_t stack_of(Tail tail) { return static_cast<uint32_t>(tail >> 32); }
    static void put_event(Event& event, uint64_t ticks, Kind kind, Tail tail) {
        event.time_word = make_time_word(ticks, kind);
        std::memcpy(reinterpret_cast<uint8_t*>(&event) + offsetof(Event, symbol), &tail, sizeof tail);
    }

    struct Frame {
        Tail exit;  // the predicted one
        uint32_t stack;
    };
    struct Step {
        uint32_t pair;
        uint32_t step;
    };
    // Each entry is written before it is read, in every block.
    struct Tables {
        uint32_t exit_steps[kMaxPairs];
        Step symbols[kMaxSymbols];
        Frame frames[1 + kStackDepth];  // frames[0] stands for the empty stack: the last exit's stack pointer
    };

    // As in the encoder: the loop does what nearly all records are, with its state in registers.
    DecodeError decode_records(Event* events) {
        Tables& tables = *tables_;
        Frame* const frames = tables.frames;
        const uint8_t* const actions = columns_[kActions].at;
        const uint8_t* const times = columns_[kTimes].at;
        const uint64_t step = directory_.step;
        const uint32_t record_count = directory_.record_count;
        symbol_count_ = 0;
        last_function_ = last_site_ = 0;
        frames[0] = {0, 0};
        top_ = frames;
        ticks_ = directory_.base_ticks;
        fraction_ = kHalfTick;
        Frame* top = frames;
        uint64_t ticks = ticks_;
        uint32_t fraction = fraction_;
        for (uint32_t i = 0; i < record_count; ++i) {
            const uint32_t action = actions[i];
            const uint32_t time = times[i];
            if (time < kTimeByte) {
                const uint64_t moved = fraction + time * step;
                if (action == kActionExit && top != frames) {
                    ticks += moved >> 32;
                    fraction = static_cast<uint32_t>(moved);
                    const Tail exit = top->exit;
                    put_event(events[i], ticks, Kind::kExit, exit);
                    frames[0].stack = stack_of(exit);
                    --top;
                    continue;
                }
                if (action - kActionEnter < symbol_count_ && action < kActionWide && top != frames + kStackDepth) {
                    ticks += moved >> 32;
                    fraction = static_cast<uint32_t>(moved);
                    const Step known = tables.symbols[action - kActionEnter];
                    const uint32_t stack = top->stack + known.step;
                    put_event(events[i], ticks, Kind::kEnter, tail_of(known.pair, stack));
                    *++top = {tail_of(known.pair, stack + tables.exit_steps[known.pair]), stack};
                    continue;
                }
            }
            top_ = top;
            ticks_ = ticks;
            fraction_ = fraction;
            record_ = i;
            if (const DecodeError error = any_record(action, time, events[i]); error != DecodeError::kNone) return error;
            top = top_;
            ticks = ticks_;
            fraction = fraction_;
        }
        return DecodeError::kNone;
    }

    __attribute__((noinline)) DecodeError any_record(uint32_t action, uint32_t time, Event& event) {
        if (const DecodeError error = read_time(time); error != DecodeError::kNone) return fault(error, kTimeExtra);
        if (action == kActionEscape) {
            const DecodeError error = read_escape(event);
            return error == DecodeError::kNone ? error : fault(error, kEscapes);
        }
        if (action == kActionExit) {
            if (top_ == tables_->frames) return fault_of_action(DecodeError::kBadPop);
            put_event(event, ticks_, Kind::kExit, top_->exit);
            tables_->frames[0].stack = stack_of(top_->exit);
            --top_;
            return DecodeError::kNone;
        }
        uint32_t symbol = action - kActionEnter;
        if (action >= kActionWide) {
            uint8_t low = 0;
            if (!columns_[kWide].byte(low)) return fault(DecodeError::kColumnEnd, kWide);
            symbol = kNarrowSymbols + (action - kActionWide) * 256 + low;
        }
        if (symbol >= symbol_count_) return fault_of_action(DecodeError::kBadSymbol);
        const Step known = tables_->symbols[symbol];
        const uint32_t stack = top_->stack + known.step;
        put_event(event, ticks_, Kind::kEnter, tail_of(known.pair, stack));
        push(stack, known.pair);
        return DecodeError::kNone;
    }

    DecodeError read_time(uint32_t code) {
        ColumnReader& extra = columns_[kTimeExtra];
        uint64_t steps = code;
        if (code < kTimeByte) {
            // the code itself
        } else if (code < kTimeLate) {
            uint8_t low = 0;
            uint8_t high = 0;
            if (!extra.byte(low)) return DecodeError::kColumnEnd;
            if (code < kTimeWord) {
                steps = kTimeByte + (code - kTimeByte) * 256 + low;
            } else {
                if (!extra.byte(high)) return DecodeError::kColumnEnd;
                steps = kTimeWordBase + (code - kTimeWord) * 65536 + high * 256u + low;
            }
        } else if (const DecodeError error = extra.varint(steps); error != DecodeError::kNone) {
            return error;
        }
        if (code == kTimeExact) {
            ticks_ += static_cast<uint64_t>(unzigzag(steps));
            fraction_ = kHalfTick;
            return DecodeError::kNone;
        }
        const uint64_t moved = fraction_ + steps * directory_.step;
        ticks_ += moved >> 32;
        fraction_ = static_cast<uint32_t>(moved);
        if (code == kTimeLate) {
            ++ticks_;
            fraction_ = 0;
        } else if (code == kTimeEarly) {
            --ticks_;
            fraction_ = kLastFraction;
        }
        return DecodeError::kNone;
    }

    DecodeError read_escape(Event& event) {
        ColumnReader& escapes = columns_[kEscapes];
        uint8_t operation = 0;
        if (!escapes.byte(operation)) return DecodeError::kColumnEnd;
        if (operation == kOpPop) return read_pop(event);
        if (operation == 0 || operation > kKindMask) return DecodeError::kBadOperation;
        uint32_t pair = 0;
        if (const DecodeError error = read_pair(pair); error != DecodeError::kNone) return error;
        uint64_t code = 0;
        if (const DecodeError error = escapes.varint(code); error != DecodeError::kNone) return error;
        const auto step = static_cast<uint32_t>(unzigzag(code));
        const uint32_t stack = top_->stack + step;
        const Kind kind = static_cast<Kind>(operation);
        put_event(event, ticks_, kind, tail_of(pair, stack));
        if (kind == Kind::kExit) tables_->frames[0].stack = stack;
        if (kind == Kind::kEnter && pair < kMaxPairs) {
            if (symbol_count_ < kMaxSymbols) tables_->symbols[symbol_count_++] = {pair, step};
            push(stack, pair);
        }
        return DecodeError::kNone;
    }

    DecodeError read_pop(Event& event) {
        ColumnReader& escapes = columns_[kEscapes];
        uint64_t pops = 0;
        uint64_t code = 0;
        if (const DecodeError error = escapes.varint(pops); error != DecodeError::kNone) return error;
        if (const DecodeError error = escapes.varint(code); error != DecodeError::kNone) return error;
        if (pops == 0 || pops > static_cast<size_t>(top_ - tables_->frames)) return DecodeError::kBadPop;
        const Frame entry = *(top_ - (pops - 1));
        top_ -= pops;
        const uint32_t pair = pair_of(entry.exit);
        const uint32_t stack = stack_of(entry.exit) + static_cast<uint32_t>(unzigzag(code));
        tables_->exit_steps[pair] = stack - entry.stack;
        put_event(event, ticks_, Kind::kExit, tail_of(pair, stack));
        tables_->frames[0].stack = stack;
        return DecodeError::kNone;
    }

    DecodeError read_pair(uint32_t& pair) {
        ColumnReader& escapes = columns_[kEscapes];
        std::vector<Symbol>& pairs = *symbols_;
        uint64_t reference = 0;
        if (const DecodeError error = escapes.varint(reference); error != DecodeError::kNone) return error;
        if (reference != 0) {
            if (reference > known_pairs()) return DecodeError::kBadPair;
            pair = static_cast<uint32_t>(reference - 1);
            return DecodeError::kNone;
        }
        if (pairs.size() >= directory_.pair_count) return DecodeError::kBadPair;
        uint64_t code = 0;
        uint64_t function = 0;
        if (const DecodeError error = escapes.varint(reference); error != DecodeError::kNone) return error;
        if (reference != 0) {
            if (reference > known_pairs()) return DecodeError::kBadPair;
            function = pairs[reference - 1].function;
        } else {
            if (const DecodeError error = escapes.varint(code); error != DecodeError::kNone) return error;
            function = last_function_ = (last_function_ + static_cast<uint64_t>(unzigzag(code))) & kAddressMask;
        }
        if (const DecodeError error = escapes.varint(code); error != DecodeError::kNone) return error;
        const uint64_t origin = top_ == tables_->frames ? last_site_ : pairs[pair_of(top_->exit)].function;
        last_site_ = (origin + static_cast<uint64_t>(unzigzag(code))) & kAddressMask;
        pair = static_cast<uint32_t>(pairs.size());
        pairs.push_back({function, last_site_});
        if (pair < kMaxPairs) tables_->exit_steps[pair] = 0;
        return DecodeError::kNone;
    }

    DecodeStatus finish() const {
        if (symbols_->size() != directory_.pair_count) return fail(DecodeError::kBadPair, &directory_.pair_count);
        for (uint32_t column = kWide; column < kColumnCount; ++column) {
            if (columns_[column].at != columns_[column].end) {
                return {DecodeError::kColumnRest, static_cast<size_t>(columns_[column].at - payload_)};
            }
        }
        return {};
    }

    size_t known_pairs() const { return symbols_->size() < kMaxPairs ? symbols_->size() : kMaxPairs; }

    void push(uint32_t stack, uint32_t pair) {
        Frame* const frames = tables_->frames;
        if (top_ == frames + kStackDepth) {
            std::copy(frames + 1 + kStackDepth / 2, frames + 1 + kStackDepth, frames + 1);
            top_ -= kStackDepth / 2;
        }
        *++top_ = {tail_of(pair, stack + tables_->exit_steps[pair]), stack};
    }

    DecodeError fault(DecodeError error, Column column) {
        fault_ = columns_[column].at;
        return error;
    }
    DecodeError fault_of_action(DecodeError error) {
        fault_ = columns_[kActions].at + record_;
        return error;
    }

    // A fault of a directory field.
    DecodeStatus fail(DecodeError error, const void* field) const {
        return {error, static_cast<size_t>(static_cast<const uint8_t*>(field) - reinterpret_cast<const uint8_t*>(&directory_))};
    }

    std::unique_ptr<Tables> tables_{new Tables};
    Directory directory_{};
    ColumnReader columns_[kColumnCount];
    std::vector<Symbol>* symbols_ = nullptr;
    const uint8_t* payload_ = nullptr;
    const uint8_t* fault_ = nullptr;
    uint32_t record_ = 0;
    Frame* top_ = nullptr;
    uint64_t ticks_ = 0;
    uint32_t fraction_ = 0;
    uint32_t symbol_count_ = 0;
    uint64_t last_function_ = 0;
    uint64_t last_site_ = 0;
};

inline DecodeStatus decode_block(const uint8_t* payload, size_t bytes, DecodedBlock& out) {
    return BlockDecoder().decode(payload, bytes, out);
}

}  // namespace fnprof::format
