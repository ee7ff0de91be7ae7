// Describes the time stamp counter: `MHZ STEP_TICKS READ_NS`.
//
// Some machines advance it in steps of many ticks. If consecutive readings are often equal, a step is longer than a reading
// and the smallest difference is the step; else the greatest common divisor of all differences is.
#include <stdint.h>
#include <stdio.h>
#include <time.h>
#include <x86intrin.h>

enum { kReadings = 2000000 };

static double now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

int main(void) {
    uint64_t smallest = UINT64_MAX, divisor = 0, equal = 0;
    const double start_ns = now_ns();
    const uint64_t start = __rdtsc();
    uint64_t previous = start;
    for (int i = 0; i < kReadings; ++i) {
        const uint64_t reading = __rdtsc();
        const uint64_t difference = reading - previous;
        previous = reading;
        if (difference == 0) {
            ++equal;
            continue;
        }
        if (difference < smallest) smallest = difference;
        uint64_t a = divisor, b = difference;
        while (a != 0 && a != 1) {
            const uint64_t rest = b % a;
            b = a;
            a = rest;
        }
        divisor = a == 1 ? 1 : b;
    }
    const double elapsed_ns = now_ns() - start_ns;
    const double mhz = (double)(previous - start) / elapsed_ns * 1e3;
    printf("%.0f %llu %.2f\n", mhz, (unsigned long long)(equal > kReadings / 100 ? smallest : divisor), elapsed_ns / kReadings);
    return 0;
}
