// When the calling thread forked: the moment that splits its records into those that a forked child has in common with its
// parent and those that it has not.
#pragma once

#include <cstdint>

namespace fnprof::rt {

// In a forked child: the moment before the fork, by the parent's trace clock. Forks that bypass the C library leave none; then the present
// moment has to do. Context: slow path of the child's first hook.
uint64_t fork_ticks();

}  // namespace fnprof::rt
