// Where the time stamp counter stands, for a thread that may not read it in a process whose records have its times: worked out from
// CLOCK_MONOTONIC_RAW, which is the counter in other units and is never slewed. The right to read it for a moment costs two system
// calls that rewrite a control register, 70 us together on some virtual machines; this costs one, 0.3 us.
//
// Each thread has its own, anchored by a true reading now and then: with every chunk, and before the distance to the last anchor
// exceeds that between it and the process's first reading, so that the error stays that of a reading (0.1 us).
//
// Context: hook, the owner thread; signal-safe.
#pragma once

#include <cstdint>

namespace fnprof::rt {

class CounterEstimate {
  public:
    // False: there is no anchor near enough, or a handler has just set another.
    bool read(uint64_t& ticks) const;

    // Requires a ClockAccess and begin_counter_estimates. Signals are blocked.
    void anchor();

  private:
    uint32_t version_;  // changes with each anchor
    uint64_t ticks_;
    uint64_t raw_ns_;
    uint64_t until_ns_;      // 0: there is no anchor
    uint64_t ticks_per_ns_;  // 32.32 fixed point
};

// Takes the process's first reading. Context: init, the counter is the clock.
void begin_counter_estimates();

}  // namespace fnprof::rt
