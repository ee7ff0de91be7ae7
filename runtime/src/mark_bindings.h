// Whether the wrapped functions are really ours in this program: only then does the trace say that marks are on.
//
// Looked at, when recording starts: in each loaded module that was linked with -lfnprof, what its own __cxa_begin_catch, longjmp
// and __longjmp_chk lead to. The slots that tell are in the module, filled by the loader before any of its code runs, and its
// note (runtime/link/fnprof_link.S) tells where. Marks are on if each slot has our wrapper, or nothing: a function that the
// module does not use. A C++ library inside the program or another interposer in front of us: marks are off. Not so the interceptors
// of sanitizers: they go on to the next definition, which is ours.
// If no module has such a note (LD_PRELOAD), the first definition in the loader's search order has to be ours; an executable
// with a C++ library inside is not told from one in C then.
// Modules that are loaded later are looked at when they say that they have come.
#pragma once

#include "modules.h"

namespace fnprof::rt {

// Context: init, under the metadata lock; signal-safe.
bool marks_in_place(Modules& modules);

// Whether this module unwinds past our wrappers. Context: as above, when the module's slots are filled.
bool misses_marks(const Module& module);

// Looks into the loader's list, for programs without notes. Context: constructor.
void look_at_search_order();

}  // namespace fnprof::rt
