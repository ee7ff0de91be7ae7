// known_cost CALLS: workloads whose cost per call is measured by themselves. Prints "NAME CALLS NANOSECONDS", nanoseconds of the whole
// workload by the monotonic clock: built without instrumentation that is the truth, which a profile's cumulative time of the function
// NAME has to come near.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define NOINLINE __attribute__((noinline))
#define SILENT __attribute__((noinline, no_instrument_function))

static volatile uint64_t sink;

// A chain of dependent multiplications takes its time whatever else the processor does.
static inline __attribute__((always_inline, no_instrument_function)) uint64_t work(uint64_t seed, unsigned steps) {
    for (unsigned i = 0; i < steps; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        __asm__ volatile("" : "+r"(seed));
    }
    return seed;
}

#define LEAF(steps) \
    NOINLINE uint64_t leaf_##steps(uint64_t seed) { return work(seed, steps); } \
    NOINLINE void loop_##steps(unsigned calls) { \
        uint64_t seed = calls; \
        for (unsigned i = 0; i < calls; i++) seed = leaf_##steps(seed); \
        sink = seed; \
    }

LEAF(2)
LEAF(10)
LEAF(50)
LEAF(250)

// A call that calls three times, three levels deep: 40 calls each time.
NOINLINE uint64_t third(uint64_t seed) { return work(seed, 20); }
NOINLINE uint64_t second(uint64_t seed) { return third(third(third(work(seed, 20)))); }
NOINLINE uint64_t first(uint64_t seed) { return second(second(second(work(seed, 20)))); }
NOINLINE uint64_t top(uint64_t seed) { return first(first(first(work(seed, 20)))); }
NOINLINE void nested(unsigned calls) {
    uint64_t seed = calls;
    for (unsigned i = 0; i < calls / 40; i++) seed = top(seed);
    sink = seed;
}

NOINLINE uint64_t down(uint64_t seed, unsigned depth) { return depth == 0 ? work(seed, 20) : down(work(seed, 20), depth - 1) + 1; }
NOINLINE void recursion(unsigned calls) {
    uint64_t seed = calls;
    for (unsigned i = 0; i < calls / 50; i++) seed = down(seed, 49);
    sink = seed;
}

static uint64_t SILENT now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

SILENT int main(int count, char** arguments) {
    static const struct {
        const char* name;
        void (*run)(unsigned);
    } workloads[] = {{"loop_2", loop_2}, {"loop_10", loop_10}, {"loop_50", loop_50}, {"loop_250", loop_250}, {"nested", nested}, {"recursion", recursion}};
    const unsigned calls = count > 1 ? (unsigned)strtoul(arguments[1], NULL, 10) : 1000000;
    for (unsigned i = 0; i < sizeof workloads / sizeof workloads[0]; i++) {
        const uint64_t begin = now_ns();
        workloads[i].run(calls);
        printf("%s %u %llu\n", workloads[i].name, calls, (unsigned long long)(now_ns() - begin));
    }
    return 0;
}
