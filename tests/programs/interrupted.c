// interrupted [CALLS]: makes 6,000,000 calls of leaf, or so many, under a timer of 20 microseconds whose handler makes calls as well, often from within
// the hooks. Prints the calls of the handler.
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>

static volatile unsigned total;
static volatile long handled;

__attribute__((noinline)) void leaf(void) { total++; }
__attribute__((noinline)) void in_handler(void) { handled++; }
__attribute__((no_instrument_function)) static void on_alarm(int signal) {
    (void)signal;
    in_handler();
    in_handler();
}

int main(int argc, char** argv) {
    const long calls = argc > 1 ? atol(argv[1]) : 6000000;
    struct itimerval often = {{0, 20}, {0, 20}}, never = {{0, 0}, {0, 0}};
    signal(SIGALRM, on_alarm);
    setitimer(ITIMER_REAL, &often, NULL);
    for (long i = 0; i < calls; i++) leaf();
    setitimer(ITIMER_REAL, &never, NULL);
    signal(SIGALRM, SIG_IGN);
    printf("%ld\n", handled);
    return 0;
}
