// waiting return|kill: a thread gives itself a name and waits for ever inside of wait_for_job; meanwhile main works until a second
// has passed, and then returns, or is killed.
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static volatile unsigned total;
static int ready[2];

__attribute__((noinline)) void leaf(void) { total++; }

__attribute__((noinline)) void wait_for_job(void) {
    char byte = 1;
    if (write(ready[1], &byte, 1) != 1) return;
    for (;;) pause();
}

void* worker(void* argument) {
    pthread_setname_np(pthread_self(), "job-worker");
    wait_for_job();
    return argument;
}

static __attribute__((no_instrument_function)) double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

int main(int argc, char** argv) {
    pthread_t thread;
    char byte;
    double start = seconds();
    if (pipe(ready) != 0 || pthread_create(&thread, NULL, worker, NULL) != 0 || read(ready[0], &byte, 1) != 1) return 1;
    while (seconds() - start < 1.5)
        for (int i = 0; i < 1000; i++) leaf();
    if (argc > 1 && strcmp(argv[1], "kill") == 0) kill(getpid(), SIGKILL);
    return 0;
}
