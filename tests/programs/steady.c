// steady CALLS: makes so many calls in each of two threads, sets errno before each of them and looks at it afterwards.
// Prints a sum, and to standard error a line; exit status 7, or 8 when errno was changed. Whatever surrounds it, its output is the
// same.
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static volatile unsigned long total;
static volatile int changed;

__attribute__((noinline)) void leaf(int value) { __atomic_fetch_add(&total, (unsigned long)value, __ATOMIC_RELAXED); }

__attribute__((no_instrument_function)) static void* calls(void* argument) {
    const long count = *(const long*)argument;
    for (long i = 0; i < count; i++) {
        const int value = 1 + (int)(i % 133);
        errno = value;
        leaf(value);
        if (errno != value) changed = 1;
    }
    return NULL;
}

int main(int argc, char** argv) {
    long count = argc > 1 ? atol(argv[1]) : 1000;
    pthread_t second;
    if (pthread_create(&second, NULL, calls, &count) != 0) return 9;
    calls(&count);
    pthread_join(second, NULL);
    printf("%lu\n", total);
    fputs("done\n", stderr);
    return changed ? 8 : 7;
}
