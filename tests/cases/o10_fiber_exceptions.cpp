//! what: fibers throw and catch on their own stacks, switch inside a handler and between throw and rethrow
//! right: each fiber's handler is a child of its own catcher, main's turn of main
//! calls: main=1 fiber=20 fail=20 handler=40 again=20 turn=40
//! edges: .>fiber=20 fiber>handler=40 fiber>again=20 again>fail=20 main>turn=40
//! link: both
#include "case.h"
#include <cstdlib>
#include <ucontext.h>
static ucontext_t inside, home;
extern "C" {
NI void fail() { sink++; throw 1; }
NI void again() { try { fail(); } catch (int) { swapcontext(&inside, &home); throw; } }
NI void handler() { sink++; }
NI void fiber() { try { again(); } catch (int) { handler(); } handler(); }
NI void turn() { sink++; }
}
int main() {
  for (int i = 0; i < 20; i++) {
    getcontext(&inside); inside.uc_stack.ss_sp = malloc(131072); inside.uc_stack.ss_size = 131072; inside.uc_link = &home; makecontext(&inside, fiber, 0);
    swapcontext(&home, &inside); turn(); swapcontext(&home, &inside); turn(); free(inside.uc_stack.ss_sp); }
  return 0;
}
