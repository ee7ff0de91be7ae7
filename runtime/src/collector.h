// The collector: one thread of our own that codes blocks as soon as they are due, so that the program's threads need not.
//
// A raw clone, invisible to the C library: no malloc, no place in its thread list (a pthread would keep main's pthread_exit from
// ending the process), own thread-local block of zeros, all signals blocked from before its birth.
#pragma once

#include "ring.h"

namespace fnprof::rt {

// After a chunk was published: starts the collector when it is first worthwhile, wakes it if it sleeps and a block is due.
// Context: slow path.
void notify_collector(Ring& ring);

// Ends the collector and waits until it is gone. Context: end.
void stop_collector();

void forget_collector();  // in a forked child: it did not come along

}  // namespace fnprof::rt
