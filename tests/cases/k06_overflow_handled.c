//! what: the stack overflows, perhaps inside the hook; a handler on an alternate stack reports and jumps back, three times; then it ends the program
//! right: report below the handler; main goes on after each
//! calls: main=1 start=4 rec=-1 handler=4 report=4 recovered=3
//! edges: main>start=4 start>rec=4 handler>report=4 main>recovered=3
//! rc: 6
//! link: both
#include "case.h"
#include <setjmp.h>
#include <signal.h>
#include <unistd.h>
static sigjmp_buf back; static char other[65536]; static int times;
NI void report(void) { sink++; }
NI void handler(int s) { (void)s; report(); if (++times == 4) _exit(6); siglongjmp(back, 1); }
NI int rec(int n) { volatile char pad[200]; pad[n & 127] = 1; return rec(n + 1) + pad[1]; }
NI void start(void) { rec(1); sink++; }
NI void recovered(void) { sink++; }
int main(void) {
  stack_t st = {.ss_sp = other, .ss_size = sizeof other}; sigaltstack(&st, 0);
  struct sigaction sa = {0}; sa.sa_handler = handler; sa.sa_flags = SA_ONSTACK; sigaction(SIGSEGV, &sa, 0);
  for (;;) { if (!sigsetjmp(back, 1)) start(); recovered(); }
}
