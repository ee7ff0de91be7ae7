// What has to be measured on this machine, at every run: how the trace clock relates to CLOCK_MONOTONIC, and what the hooks
// themselves cost.
#pragma once

#include "../format/layout.h"
#include "items.h"
#include <cstdint>

namespace fnprof::rt {

// Reads both clocks as closely together as can be (the best of several bracketed tries).
// Context: init, collector, slow path, dlclose, end.
format::ClockPair read_clock_pair();

// Appends a pair of this moment. Context: as read_clock_pair.
void write_clock_pair(ItemWriter& items);

// Runs the hooks on a scratch chunk, as they are with the trace's clock. Uses the calling thread's control pointers for a moment:
// signals are blocked and the thread has no ring yet. Context: init.
struct HookCost {
    format::HookCostItem cost;
    uint64_t step_milliticks;  // average size of the clock's smallest step; 1000 when it has none
};
HookCost measure_hooks();

}  // namespace fnprof::rt
