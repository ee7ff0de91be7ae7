// Walks the stack at every single instruction of the hooks: each walk must come to main. Prints the walks made and those that went
// astray. The processor's trap flag makes a signal of each instruction.
#define _GNU_SOURCE
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <ucontext.h>
#include <unwind.h>

#define QUIET __attribute__((no_instrument_function, noinline))
extern const char __start_text_of_main[], __stop_text_of_main[];
static long walks, astray;
static volatile int stepping;

QUIET static _Unwind_Reason_Code look(struct _Unwind_Context *frame, void *found) {
    uintptr_t address = _Unwind_GetIP(frame);
    if (address >= (uintptr_t)__start_text_of_main && address < (uintptr_t)__stop_text_of_main) *(int *)found = 1;
    return *(int *)found ? _URC_END_OF_STACK : _URC_NO_REASON;
}
QUIET static int comes_to_main(void) {
    int found = 0;
    _Unwind_Backtrace(look, &found);
    return found;
}

QUIET static void at_instruction(int number, siginfo_t *information, void *context) {
    (void)number, (void)information;
    if (!stepping) {
        ((ucontext_t *)context)->uc_mcontext.gregs[REG_EFL] &= ~0x100L;
        return;
    }
    walks++;
    astray += !comes_to_main();
}

__attribute__((noinline)) void leaf(void) { __asm__ volatile(""); }

__attribute__((section("text_of_main"))) int main(void) {
    struct sigaction action = {.sa_sigaction = at_instruction, .sa_flags = SA_SIGINFO};
    leaf();  // the first call of all is another matter
    comes_to_main();
    sigaction(SIGTRAP, &action, NULL);
    stepping = 1;
    __asm__ volatile("pushfq; orq $0x100, (%%rsp); popfq" ::: "memory", "cc");
    leaf();
    leaf();
    stepping = 0;
    leaf();
    printf("%ld %ld\n", walks, astray);
    return 0;
}
