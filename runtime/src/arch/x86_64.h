// What the hooks need of the processor: the clock, the claim of a slot, the prefetch, the switch to another stack.
//
// Context: any; signal-safe.
#pragma once

#include <cstdint>

namespace fnprof::rt::arch {

// The time stamp counter, unserialised: within one thread its readings never go back, and that is all that records need.
inline uint64_t read_clock() {
    uint64_t low, high;  // the instruction clears the upper halves
    __asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
    return high << 32 | low;
}

// Advances *cursor and returns its old value in one instruction: atomic against signal handlers of the same thread,
// which is all that a per-thread cursor needs; hence no lock prefix.
inline uint64_t claim(uint64_t* cursor, uint64_t bytes) {
    __asm__ volatile("xaddq %0, %1" : "+r"(bytes), "+m"(*cursor) : : "cc", "memory");
    return bytes;
}

// Gets the cache line in a state in which it can be written: the collector read it the last time round.
// (A memory operand: the address needs no instruction of its own.)
inline void prefetch_for_write(uint64_t address) {
    __asm__ volatile("prefetchw %0" : : "m"(*reinterpret_cast<const char*>(address)));
}

inline void pause() { __asm__ volatile("pause"); }

// Calls function(argument) on another stack. `stack_top` is 16-byte aligned.
inline void call_on_stack(void* stack_top, void (*function)(void*), void* argument) {
    void* saved;
    __asm__ volatile(
        "movq %%rsp, %0\n\t"
        "movq %3, %%rsp\n\t"
        "call *%2\n\t"
        "movq %0, %%rsp"
        : "=&b"(saved), "+D"(argument), "+a"(function)
        : "r"(stack_top)
        : "rcx", "rdx", "rsi", "r8", "r9", "r10", "r11", "cc", "memory", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6",
          "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15", "st", "st(1)", "st(2)", "st(3)", "st(4)",
          "st(5)", "st(6)", "st(7)");
}

}  // namespace fnprof::rt::arch
