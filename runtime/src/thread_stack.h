// Where a thread's own stack lies. The analyzer tells by it a call on that stack from one on a fiber, however far apart two calls are.
//
// Context: slow path, on any stack, signals blocked; no locks, no libc.
#pragma once

#include <cstddef>
#include <cstdint>

namespace fnprof::rt {

// Addresses [low, high) between which nothing lies but this one stack, guard pages included; 0, 0 where that is not known.
struct StackBounds {
    uint64_t low;
    uint64_t high;
};

// Of the calling thread, also while it is on a signal stack. Not known of threads that glibc did not make, nor on a fiber.
StackBounds own_stack_bounds();

// Looks for a stack among the words of a thread descriptor: the block of memory, begin and size, at whose high end the thread pointer
// lies.
StackBounds find_stack_block(uint64_t thread_pointer, const uint64_t* words, size_t count);

}  // namespace fnprof::rt
