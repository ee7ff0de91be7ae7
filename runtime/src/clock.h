// The trace clock: one for all records of a process image, chosen at its start.
//
// The time stamp counter; or CLOCK_MONOTONIC in nanoseconds, by the raw system call, where the counter may not be read when
// recording starts (PR_SET_TSC), where it does not run at one pace, or where the user says so (FNPROF_CLOCK). The vDSO's function
// would read the counter too, and the C library's may be the program's own.
//
// Whether a thread may read the counter is a property of the thread, which others inherit: children of clone, fork and exec.
// A thread that may not leaves every record to record_slowly. Where the trace's clock is the counter nevertheless, since the program
// forbade it later, records have its times by counter_estimate.h, and all else that looks at the clock does so with a ClockAccess.
//
// Context: any; signal-safe.
#pragma once

#include "arch/x86_64.h"
#include "settings.h"
#include "sys.h"
#include <cstdint>

namespace fnprof::rt {

extern bool g_clock_counts_ns __attribute__((visibility("hidden")));

// Whether the clock is CLOCK_MONOTONIC.
inline bool clock_counts_ns() { return g_clock_counts_ns; }

// Requires a ClockAccess where the calling thread is forbidden the counter.
inline uint64_t clock_ticks() {
    return clock_counts_ns() ? sys::clock_ns(sys::kClockMonotonic) : arch::read_clock();
}

// Whether reading the counter is a fault in the calling thread. A system call.
bool counter_is_forbidden();

// Context: init. `forbidden`: as the starting thread found it.
void choose_clock(Settings::Clock wanted, bool forbidden);

// While it lives, the calling thread may read the clock. Signals are blocked: no handler of the program's may find the counter
// allowed.
class ClockAccess {
  public:
    explicit ClockAccess(bool forbidden);
    ~ClockAccess();
    ClockAccess(const ClockAccess&) = delete;
    ClockAccess& operator=(const ClockAccess&) = delete;

    // False: the kernel refused (a seccomp filter), the clock must not be read.
    bool granted() const { return granted_; }

  private:
    bool lifted_;
    bool granted_;
};

// The time, for code that knows nothing of its thread; 0 when it cannot be had. Several system calls.
uint64_t clock_ticks_anywhere();

}  // namespace fnprof::rt
