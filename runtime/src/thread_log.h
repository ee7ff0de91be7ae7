// The slow path of the hooks: a thread's first record, a full chunk, a full ring, a forked child, the time after the end.
//
// Context: hook slow path, any thread; signal-safe.
#pragma once

#include "../format/layout.h"
#include <cstdint>

namespace fnprof::rt {

struct Control;

// Makes the record that the fast path could not make. `stack` is the hook's canonical frame address; `ticks` is the time of an
// exit, 0 for an enter (its clock is read last). Keeps errno, which no raw system call touches.
__attribute__((cold, noinline, visibility("hidden"))) void record_slowly(format::Kind kind, uint64_t function, uint64_t site,
                                                                         uint64_t stack, uint64_t ticks);

}  // namespace fnprof::rt
