#include "model/timed_block.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace fnprof::model {

namespace {

using format::Kind;

// A symbol whose function is not the same for all its events.
constexpr FunctionId kReused = kNone - 1;

bool is_call(Kind kind) { return kind == Kind::kEnter || kind == Kind::kExit; }

// Records of other kinds have symbols that name nothing: what is not known from earlier calls is resolved at its first call.
class Resolver {
  public:
    Resolver(const std::vector<format::Symbol>& raw, AddressMap& addresses, std::vector<CallSymbol>& symbols)
        : raw_(raw), addresses_(addresses), symbols_(symbols) {
        symbols_.assign(raw.size(), {});
        for (size_t i = 0; i < raw.size(); ++i) addresses.recall(raw[i], symbols_[i]);
    }

    uint32_t call(uint32_t symbol, uint64_t ticks) {
        CallSymbol& known = symbols_[symbol];
        if (known.function < kReused) [[likely]] return symbol;
        if (known.function == kNone) {
            if (!addresses_.is_reused(raw_[symbol])) {
                known = addresses_.resolve(raw_[symbol], ticks);
                return symbol;
            }
            known.function = kReused;
        }
        const CallSymbol now = addresses_.resolve(raw_[symbol], ticks);
        for (size_t i = raw_.size(); i < symbols_.size(); ++i) {
            const CallSymbol& other = symbols_[i];
            if (other.function == now.function && other.call_site == now.call_site && other.site_function == now.site_function) {
                return static_cast<uint32_t>(i);
            }
        }
        return add(now);
    }

    // Of the address that gets control.
    uint32_t place(uint64_t address) { return add({.call_site = address}); }

    uint32_t thrown(uint64_t by) { return add({.function = by == format::kEndsThread ? FunctionId{format::kEndsThread} : kNone}); }

    uint32_t gap(uint32_t symbol, const ClockMap& clock) {
        const format::Symbol& raw = raw_[symbol];
        const uint64_t dropped = std::min<uint64_t>(raw.function, std::numeric_limits<FunctionId>::max());
        return add({.call_site = clock.duration_ns(raw.call_site), .function = static_cast<FunctionId>(dropped)});
    }

  private:
    uint32_t add(const CallSymbol& symbol) {
        symbols_.push_back(symbol);
        return static_cast<uint32_t>(symbols_.size() - 1);
    }

    const std::vector<format::Symbol>& raw_;
    AddressMap& addresses_;
    std::vector<CallSymbol>& symbols_;
};

}  // namespace

void repair_times(std::span<format::Event> events) {
    uint64_t next_enter = ~uint64_t{0};
    for (size_t i = events.size(); i-- > 0;) {
        uint64_t& word = events[i].time_word;
        if (format::kind_of(word) != Kind::kEnter) continue;
        if (format::ticks_of(word) > next_enter) word = format::make_time_word(next_enter, Kind::kEnter);
        next_enter = format::ticks_of(word);
    }
    uint64_t latest = 0;
    for (format::Event& event : events) {
        latest = std::max(latest, format::ticks_of(event.time_word));
        event.time_word = format::make_time_word(latest, format::kind_of(event.time_word));
    }
}

void make_timed(format::DecodedBlock& records, AddressMap& addresses, const ClockMap& clock, TimedBlock& block) {
    Resolver resolver(records.symbols, addresses, block.symbols);
    uint64_t latest = 0;
    bool ordered = true;
    block.dropped = false;
    ClockMap::Segment segment;
    for (format::Event& event : records.events) {
        const uint64_t ticks = format::ticks_of(event.time_word);
        const Kind kind = format::kind_of(event.time_word);
        if (is_call(kind)) [[likely]] {
            event.symbol = resolver.call(event.symbol, ticks);
        } else if (kind == Kind::kCatch) {
            event.symbol = resolver.place(records.symbols[event.symbol].call_site);
        } else if (kind == Kind::kLongjmp) {
            event.symbol = resolver.place(records.symbols[event.symbol].function);
        } else if (kind == Kind::kThrow) {
            event.symbol = resolver.thrown(records.symbols[event.symbol].function);
        } else if (kind == Kind::kGap) {
            block.dropped |= records.symbols[event.symbol].function != 0;
            event.symbol = resolver.gap(event.symbol, clock);
        }
        if (!segment.holds(ticks)) [[unlikely]] segment = clock.segment(ticks);
        const uint64_t ns = segment.ns(ticks);
        ordered &= ns >= latest;
        latest = ns;
        event.time_word = format::make_time_word(ns, kind);
    }
    if (!ordered) repair_times(records.events);
    block.next = 0;
    block.events.swap(records.events);
}

}  // namespace fnprof::model
