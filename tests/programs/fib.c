// fib N: main calls fib once; fib(20) makes 21,891 calls. Prints the result and returns the second argument.
#include <stdio.h>
#include <stdlib.h>

unsigned fib(unsigned n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }

int main(int argc, char** argv) {
    printf("%u\n", fib(argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 20));
    return argc > 2 ? (int)strtol(argv[2], NULL, 10) : 0;
}
