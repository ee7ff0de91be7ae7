// The workload of the thread benchmark.
//
//   threads THREADS ALIVE CALLS
//
// Starts THREADS threads, ALIVE of them at a time (all of a batch live until the last of it has made its calls), each of which makes
// CALLS instrumented calls. Prints `CALLS_IN_ALL US_PER_THREAD`.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define NOT_INSTRUMENTED __attribute__((no_instrument_function))

static unsigned g_calls;
static pthread_barrier_t g_all_done;

void call(unsigned i) { __asm__ volatile("" : : "r"(i)); }

NOT_INSTRUMENTED static void* work(void* argument) {
    for (unsigned i = 0; i < g_calls; ++i) call(i);
    pthread_barrier_wait(&g_all_done);
    return argument;
}

NOT_INSTRUMENTED static double now_us(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}

NOT_INSTRUMENTED int main(int argc, char** argv) {
    if (argc != 4) return 2;
    const unsigned threads = (unsigned)atoi(argv[1]), alive = (unsigned)atoi(argv[2]);
    g_calls = (unsigned)atoi(argv[3]);
    pthread_t* const batch = malloc(alive * sizeof *batch);
    if (batch == NULL || pthread_barrier_init(&g_all_done, NULL, alive) != 0) return 1;
    call(0);  // what happens once in a process has happened
    const double start = now_us();
    for (unsigned done = 0; done < threads; done += alive) {
        for (unsigned i = 0; i < alive; ++i)
            if (pthread_create(&batch[i], NULL, work, NULL) != 0) return 1;
        for (unsigned i = 0; i < alive; ++i) pthread_join(batch[i], NULL);
    }
    printf("%llu %.2f\n", 1 + (unsigned long long)threads * g_calls, (now_us() - start) / threads);
    return 0;
}
