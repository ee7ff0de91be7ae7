// About as many calls as the argument says, 64 functions that call one another by a fixed random choice: about twenty
// thousand call paths.
#include <stdint.h>
#include <stdlib.h>

enum { kDepth = 5 };

static uint32_t state = 1;
static long left;

__attribute__((no_instrument_function)) static unsigned choose(unsigned below) {
    state = state * 1664525u + 1013904223u;
    return (state >> 16) % below;
}

typedef void Step(unsigned depth);
static Step* const steps[64];

__attribute__((no_instrument_function)) static inline void call_some(unsigned from, unsigned depth) {
    --left;
    if (depth == kDepth) return;
    // Each function has three callees of its own.
    for (unsigned i = choose(4); i < 3 && left > 0; ++i) steps[(from * 5 + choose(3) * 13 + 1) % 64](depth + 1);
}

// Numbers are octal: 000 to 077.
#define STEP(n) \
    void step_##n(unsigned depth) { call_some(n, depth); }
#define EIGHT(each, tens) \
    each(tens##0) each(tens##1) each(tens##2) each(tens##3) each(tens##4) each(tens##5) each(tens##6) each(tens##7)
#define LIST(n) step_##n,
#define ALL(each) \
    EIGHT(each, 00) EIGHT(each, 01) EIGHT(each, 02) EIGHT(each, 03) EIGHT(each, 04) EIGHT(each, 05) EIGHT(each, 06) EIGHT(each, 07)
ALL(STEP)
static Step* const steps[64] = {ALL(LIST)};

__attribute__((no_instrument_function)) int main(int argc, char** argv) {
    left = argc > 1 ? strtol(argv[1], NULL, 10) : 1000;
    while (left > 0) steps[choose(64)](0);
    return 0;
}
