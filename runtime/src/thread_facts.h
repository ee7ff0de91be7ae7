// What the kernel knows of a thread that records.
//
// Context: slow path, end; signals blocked.
#pragma once

#include "ring.h"

namespace fnprof::rt {

// The calling thread, at its registration. In a vfork child its id stays 0, since it is not the one that the thread has.
void read_thread_facts(ThreadFacts& facts);

// Again, for the calling thread: its name may have changed, and an id that was not known is known now.
void update_thread_facts(ThreadFacts& facts);

// The name of a living thread of this process; true when it has changed.
bool refresh_name(ThreadFacts& facts);

// Whether the thread is gone. A thread without an id lives. Not to be asked in a vfork child.
bool is_dead(const ThreadFacts& facts);

}  // namespace fnprof::rt
