// What the hooks need of the processor: the clock, the claim of a slot, the prefetch, the switch to another stack.
//
// Context: any; signal-safe.
#pragma once

#include "../sys.h"
#include <cstdint>

namespace fnprof::rt::arch {

// The time stamp counter, unserialised: within one thread its readings never go back, and that is all that records need.
inline uint64_t read_clock() {
    uint64_t low, high;  // the instruction clears the upper halves
    __asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
    return high << 32 | low;
}

// Whether the counter runs at one pace, whatever the processor does: CPUID 0x80000007, edx bit 8. Where CPUID is a fault in this thread
// (arch_prctl ARCH_SET_CPUID), nobody knows.
inline bool counter_is_invariant() {
    constexpr int kArchGetCpuid = 0x1011;
    if (sys::call(__NR_arch_prctl, kArchGetCpuid) == 0) return false;
    constexpr uint32_t kHighest = 0x80000000, kPower = 0x80000007, kInvariant = 1 << 8;
    const auto cpuid = [](uint32_t leaf, uint32_t& eax, uint32_t& edx) {
        uint32_t ebx, ecx;
        __asm__ volatile("cpuid" : "=a"(eax), "=b"(ebx), "=c"(ecx), "=d"(edx) : "a"(leaf), "c"(0));
    };
    uint32_t eax, edx;
    cpuid(kHighest, eax, edx);
    if (eax < kPower) return false;
    cpuid(kPower, eax, edx);
    return (edx & kInvariant) != 0;
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
