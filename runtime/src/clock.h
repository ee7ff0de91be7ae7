// The trace clock.
//
// Context: any; signal-safe.
#pragma once

#include "arch/x86_64.h"
#include <cstdint>

namespace fnprof::rt {

inline uint64_t clock_ticks() { return arch::read_clock(); }

}  // namespace fnprof::rt
