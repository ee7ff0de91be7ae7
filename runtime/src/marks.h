// Marks: records of the moments at which frames die without their exit hook: an exception that propagates, a handler that gets
// control, a longjmp, a thread's forced end. clang emits no exit hook on a frame that a throw unwinds, no compiler does for a
// longjmp, and nothing in the enters and exits that follow tells a dead frame from a live one.
//
// The functions that make it happen are wrapped: by interposition in the shared library, by ld's --wrap in static links.
//
// Context: any thread; signal-safe as far as the wrapped function is.
#pragma once

#include "../format/layout.h"
#include <cstdint>

namespace fnprof::rt {

// Records a mark if the thread has made records before: without any there is no frame to mark.
__attribute__((visibility("hidden"))) void record_mark(format::Kind kind, uint64_t function, uint64_t site, uint64_t stack);

}  // namespace fnprof::rt
