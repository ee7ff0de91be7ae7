//! what: fibers that switch by _setjmp and _longjmp (started once by makecontext), from inside nested calls, 100 times each
//! right: each fiber has its own stack: fiber>hop, and main's main>round
//! calls: main=1 fiber=2 hop=200 work=200 round=100
//! edges: fiber>hop=200 hop>work=200 main>round=100
//! link: both
#include "case.h"
#include <setjmp.h>
#include <stdlib.h>
#include <ucontext.h>
static jmp_buf home, at[2]; static ucontext_t start[2], boot; static int self;
NI void work(void) { sink++; }
NI void hop(int i) { work(); if (!_setjmp(at[i])) _longjmp(home, 1); }
NI void fiber(void) { int i = self; for (;;) hop(i); }
NI void round(int i) { sink += i; }
NOINST static void resume(int i) { if (!_setjmp(home)) _longjmp(at[i], 1); }
NOINST static void begin(int i) { self = i; getcontext(&start[i]); start[i].uc_stack.ss_sp = malloc(65536); start[i].uc_stack.ss_size = 65536; makecontext(&start[i], fiber, 0); if (!_setjmp(home)) swapcontext(&boot, &start[i]); }
int main(void) {
  for (volatile int n = 0; n < 100; n++) { if (n == 0) { begin(0); begin(1); } else { resume(0); resume(1); } round(n); }
  return 0;
}
