// The slow path of the hooks: a thread's first record, a full chunk, a full ring, a forked child, the time after the end.
//
// Context: hook slow path, any thread; signal-safe.
#pragma once

#include "../format/layout.h"
#include <cstdint>

namespace fnprof::rt {

// Makes the record that the fast path could not make. `stack` is the hook's canonical frame address; `ticks` is the time of an
// exit, 0 if the clock was not read yet (an enter's is read last). Keeps errno, which no raw system call touches.
__attribute__((cold, noinline, visibility("hidden"))) void record_slowly(format::Kind kind, uint64_t function, uint64_t site,
                                                                         uint64_t stack, uint64_t ticks);

}  // namespace fnprof::rt

// Before a thread makes reading the time stamp counter a fault for itself (prctl PR_SET_TSC): does so, and leaves its records to the
// slow path, which notices by itself when it is allowed again. A C name, as in marks.h.
// Context: any; signal-safe.
extern "C" __attribute__((visibility("hidden"))) void fnprof_before_prctl(int option, unsigned long value);
