// What has to be measured on this machine, at every run: how the trace clock relates to CLOCK_MONOTONIC, and what the hooks
// themselves cost.
#pragma once

#include "../format/layout.h"
#include "items.h"
#include <cstdint>

namespace fnprof::rt {

// Reads both clocks as closely together as can be (the best of several bracketed tries).
// Context: init, collector, end.
format::ClockPair read_clock_pair();

// Keeps a pair for the metadata written next. Context: collector.
void note_clock_pair();

// Appends the pairs kept so far and one of this moment. Context: init, end.
void write_clock_pairs(ItemWriter& items);
void forget_clock_pairs();  // in a forked child

// Runs the hooks on a scratch chunk. Uses the calling thread's t_control for a moment: signals are blocked and the thread has no
// ring yet. Context: init.
struct HookCost {
    format::HookCostItem cost;
    uint64_t step_milliticks;      // smallest step of the clock seen
};
HookCost measure_hooks();

}  // namespace fnprof::rt
