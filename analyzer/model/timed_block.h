// A decoded block made ready for CallStack: ticks become nanoseconds, symbols become functions, gaps lengths of time; times
// that signal handlers have disturbed are repaired.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "format/decoder.h"
#include "model/address_map.h"
#include "model/clock_map.h"
#include "model/stack_region.h"

namespace fnprof::model {

struct TimedBlock {
    std::vector<CallSymbol> symbols;
    std::vector<format::Event> events;  // time words hold nanoseconds
    size_t next = 0;                    // first event not yet taken
    bool dropped = false;               // a gap among them says that records were dropped

    bool done() const { return next == events.size(); }
    uint64_t next_ns() const { return format::ticks_of(events[next].time_word); }
    size_t bytes() const { return symbols.capacity() * sizeof(CallSymbol) + events.capacity() * sizeof(format::Event); }
};

// Takes the events out of `records` and leaves it the memory that `block` had.
void make_timed(format::DecodedBlock& records, AddressMap& addresses, const ClockMap& clock, TimedBlock& block);

// A handler that interrupts a hook leaves records in the wrong order of time. The enter hook takes its place among the records
// first and reads the clock last: the handler's records follow it with earlier times. The exit hook reads first and takes its place
// last: the handler's records stand before it with later times. So, with times of slots in order:
//
//   enter f at 8 | enter handler at 6 | exit handler at 7        f cannot be later than the handler that interrupted it: 6 6 7
//   enter handler at 6 | exit handler at 7 | exit f at 5         f cannot have ended before it: 6 7 7
void repair_times(std::span<format::Event> events);

}  // namespace fnprof::model
