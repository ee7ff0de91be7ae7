//! what: eight fibers whose 16 KiB stacks lie side by side in one array, in turn for 50 rounds; each yields at another depth of its nested calls every time
//! right: each fiber's calls stay on its own stack
//! calls: main=1 body=8 dig=1200 yield_here=400 leaf=400 turn=400
//! edges: .>body=8 body>dig=400 dig>dig=800 dig>yield_here=400 yield_here>leaf=400 main>turn=400
//! link: both
#include "case.h"
#include <stdlib.h>
#include <ucontext.h>
enum { kFibers = 8, kStack = 16384 };
static ucontext_t fiber[kFibers], home; static int self;
static char stacks[kFibers * kStack] __attribute__((aligned(4096)));
NI void leaf(void) { sink++; }
NI void yield_here(int i) { leaf(); swapcontext(&fiber[i], &home); }
NI void dig(int i, int n) { volatile char pad[1500]; pad[0] = 1; if (n) dig(i, n - 1); else yield_here(i); sink += pad[0]; }
NI void body(void) { int i = self; for (int round = 0; round < 50; round++) dig(i, (i + round) % 5); for (;;) swapcontext(&fiber[i], &home); }
NI void turn(int i) { sink += i; }
int main(void) {
  for (int i = 0; i < kFibers; i++) { getcontext(&fiber[i]); fiber[i].uc_stack.ss_sp = stacks + i * kStack; fiber[i].uc_stack.ss_size = kStack; makecontext(&fiber[i], body, 0); }
  for (int round = 0; round < 50; round++) for (int i = 0; i < kFibers; i++) { self = i; swapcontext(&home, &fiber[i]); turn(i); }
  return 0;
}
