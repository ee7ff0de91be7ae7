// About as many calls as the argument says, one function, some thirty call paths.
#include <stdlib.h>

unsigned fib(unsigned n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }

__attribute__((no_instrument_function)) int main(int argc, char** argv) {
    const long wanted = argc > 1 ? strtol(argv[1], NULL, 10) : 1000;
    unsigned sum = 0;
    for (long made = 0; made < wanted; made += 242785) sum += fib(25);
    return sum == 1;
}
