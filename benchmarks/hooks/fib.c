// The workload of the hook benchmark: nothing but calls. Every thread computes fib(N) once, all starting together.
//
//   fib N THREADS
//
// Prints `CALLS NS_PER_CALL`: instrumented calls of all threads together, and the time of the slowest thread divided by the
// calls of one.
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define NOT_INSTRUMENTED __attribute__((no_instrument_function))

unsigned fib(unsigned n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }

typedef struct {
    pthread_t thread;
    pthread_barrier_t* start;
    unsigned n;
    unsigned result;
    double elapsed_ns;
} Worker;

NOT_INSTRUMENTED static double now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

NOT_INSTRUMENTED static void* work(void* argument) {
    Worker* const worker = argument;
    fib(12);  // every table, page and thread is there before the clock starts
    pthread_barrier_wait(worker->start);
    const double start = now_ns();
    worker->result = fib(worker->n);
    worker->elapsed_ns = now_ns() - start;
    return NULL;
}

NOT_INSTRUMENTED static uint64_t calls_of(unsigned n) {
    uint64_t previous = 1, calls = 1;  // fib(0), fib(1)
    for (unsigned i = 2; i <= n; ++i) {
        const uint64_t next = 1 + calls + previous;
        previous = calls;
        calls = next;
    }
    return calls;
}

NOT_INSTRUMENTED int main(int argc, char** argv) {
    if (argc != 3) {
        fprintf(stderr, "usage: fib N THREADS\n");
        return 2;
    }
    const unsigned n = (unsigned)strtoul(argv[1], NULL, 10);
    const unsigned count = (unsigned)strtoul(argv[2], NULL, 10);
    Worker* const workers = calloc(count, sizeof *workers);
    if (workers == NULL) return 1;
    pthread_barrier_t start;
    pthread_barrier_init(&start, NULL, count);
    for (unsigned i = 0; i < count; ++i) {
        workers[i].start = &start;
        workers[i].n = n;
        // One thread alone is the main thread.
        if (count > 1 && pthread_create(&workers[i].thread, NULL, work, &workers[i]) != 0) return 1;
    }
    if (count == 1) work(&workers[0]);
    double slowest_ns = 0;
    for (unsigned i = 0; i < count; ++i) {
        if (count > 1) pthread_join(workers[i].thread, NULL);
        if (workers[i].elapsed_ns > slowest_ns) slowest_ns = workers[i].elapsed_ns;
        if (workers[i].result != workers[0].result) return 1;
    }
    printf("%llu %.4f\n", (unsigned long long)(count * (calls_of(n) + calls_of(12))), slowest_ns / (double)calls_of(n));
    free(workers);
    return 0;
}
