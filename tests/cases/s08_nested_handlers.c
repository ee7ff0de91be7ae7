//! what: handlers interrupt handlers: SIGUSR1 on the stack, SIGUSR2 in it on an alternate stack, SIGALRM in that on the alternate stack
//! right: one>two>three on their stacks' order; all return
//! calls: main=1 work=100 one=100 two=100 three=100 leaf=300
//! edges: main>work=100 one>leaf=100 two>leaf=100 three>leaf=100
//! link: both
#include "case.h"
#include <signal.h>
static char other[65536];
NI void leaf(void) { sink++; }
NI void three(int s) { (void)s; leaf(); }
NI void two(int s) { (void)s; raise(SIGALRM); leaf(); }
NI void one(int s) { (void)s; raise(SIGUSR2); leaf(); }
NI void work(void) { raise(SIGUSR1); sink++; }
int main(void) {
  stack_t st = {.ss_sp = other, .ss_size = sizeof other}; sigaltstack(&st, 0);
  struct sigaction sa = {0}; sa.sa_handler = one; sigaction(SIGUSR1, &sa, 0);
  sa.sa_flags = SA_ONSTACK; sa.sa_handler = two; sigaction(SIGUSR2, &sa, 0); sa.sa_handler = three; sigaction(SIGALRM, &sa, 0);
  for (int i = 0; i < 100; i++) work();
  return 0;
}
