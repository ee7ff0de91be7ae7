// Records after the end: destructors, exit handlers and threads that still run when the runtime has finished write straight
// into the trace file, into areas appended to it (FORMAT.md, late areas).
//
// Context: slow path after the end; signals blocked.
#pragma once

#include "ring.h"

namespace fnprof::rt {

// Gives the ring's thread a fresh late area to write into; false: none can be had.
bool open_late_area(Ring& ring);

}  // namespace fnprof::rt
