// Birth, fork and end of the runtime in a process, and the few facts about it that everyone asks for.
#pragma once

#include "settings.h"
#include <atomic>
#include <cstdint>

namespace fnprof::rt {

// Starts the runtime in this process image at its first hook; true when recording is (or was) on. In a forked child it starts
// anew, with a trace of its own. counter_forbidden: the calling thread must not read the time stamp counter (clock.h).
// Context: slow path, signals blocked.
bool ensure_started(bool counter_forbidden);

// Context: any.
// FNPROF_ENABLE=0, or no trace can be written. Sticky, in forked children too: what could not be opened will not be tried again at
// every call. Inline, since it is all that a switched off hook does.
extern std::atomic<bool> g_switched_off __attribute__((visibility("hidden")));
inline bool switched_off() { return g_switched_off.load(std::memory_order_relaxed); }
bool recording();     // in this process image, started and not ended
bool ended();         // the runtime's own end has come: records go into late areas
bool is_forked_copy(); // this memory is what a fork copied, and nothing has been started anew in it
bool in_vfork_child(); // the memory is the process's, the process id is not: its threads cannot be asked about, and none started
const Settings& settings();

// Threads registered so far; all of them forgotten in a forked child. Defined in thread_log.cpp.
uint32_t thread_count();
void forget_threads();

}  // namespace fnprof::rt
