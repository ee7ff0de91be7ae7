// held_up STEP CALLS: at one instruction of a call's two hooks, the STEPth, a handler makes more calls than a chunk has room for. Afterwards
// so many CALLS, and the end by SIGKILL. Prints all calls of leaf and of in_handler, the latter 0 if the hooks have fewer instructions.
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <ucontext.h>
#include <unistd.h>

#define QUIET __attribute__((no_instrument_function, noinline))
static volatile long calls, handled, steps_left;
static volatile int stepping;

__attribute__((noinline)) void leaf(void) { calls++; }
__attribute__((noinline)) void in_handler(void) { handled++; }

QUIET static void at_instruction(int number, siginfo_t *information, void *context) {
    (void)number, (void)information;
    if (stepping && steps_left-- > 0) return;
    ((ucontext_t *)context)->uc_mcontext.gregs[REG_EFL] &= ~0x100L;
    for (int i = 0; stepping && i < 2000; i++) in_handler();
}

int main(int argc, char **argv) {
    struct sigaction action = {.sa_sigaction = at_instruction, .sa_flags = SA_SIGINFO};
    const long after = atol(argv[argc - 1]);
    steps_left = atol(argv[1]);
    for (int i = 0; i < 1000; i++) leaf();
    sigaction(SIGTRAP, &action, NULL);
    stepping = 1;
    __asm__ volatile("pushfq; orq $0x100, (%%rsp); popfq" ::: "memory", "cc");
    leaf();
    stepping = 0;
    for (long i = 0; i < after; i++) leaf();
    printf("%ld %ld\n", calls, handled);
    fflush(stdout);
    kill(getpid(), SIGKILL);
}
