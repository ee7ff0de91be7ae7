// threads THREADS ROUNDS: every thread calls work ROUNDS times, work calls leaf twice.
#include <pthread.h>
#include <stdlib.h>

static volatile unsigned total;
static unsigned rounds;

void leaf(void) { total++; }

void work(void) {
    leaf();
    leaf();
}

void* run(void* argument) {
    for (unsigned i = 0; i < rounds; ++i) work();
    return argument;
}

int main(int argc, char** argv) {
    pthread_t threads[64];
    const unsigned count = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 2;
    rounds = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 10) : 1000;
    for (unsigned i = 0; i < count; ++i) {
        if (pthread_create(&threads[i], NULL, run, NULL) != 0) return 1;
    }
    for (unsigned i = 0; i < count; ++i) pthread_join(threads[i], NULL);
    return 0;
}
