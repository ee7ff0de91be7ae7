// The floor of every tracer that takes a time stamp at both ends of a call: read the clock, keep the value, do nothing else.
#include <x86intrin.h>

static inline void read_clock(void) {
    const unsigned long long ticks = __rdtsc();
    __asm__ volatile("" : : "r"(ticks));
}

void __cyg_profile_func_enter(void* function, void* call_site) {
    (void)function;
    (void)call_site;
    read_clock();
}

void __cyg_profile_func_exit(void* function, void* call_site) {
    (void)function;
    (void)call_site;
    read_clock();
}
