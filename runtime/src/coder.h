// Coding: published chunks of a ring become one block of the trace file. Done by the collector, and by threads whose ring is full.
//
// Context: slow path, collector, end; signals blocked.
#pragma once

#include "ring.h"
#include <cstdint>

namespace fnprof::rt {

enum class CodeMode {
    kWhenDue,  // a whole block at a time, and none with a slot that an interrupted hook may still commit
    kNow,      // what is there
};

enum class CodeOutcome {
    kCoded,
    kNothing,  // nothing to code (or not due)
    kBusy,     // somebody else codes this ring, or all coders are in use
    kFailed,   // no coder can be had: no memory
};

CodeOutcome code_block(Ring& ring, CodeMode mode);

// Maps the first coder while there is memory: the end of a process under a memory limit must still be able to code. Context: init.
void reserve_coder();

// In a forked child: whoever held a coder is not here.
void forget_coders();

}  // namespace fnprof::rt
