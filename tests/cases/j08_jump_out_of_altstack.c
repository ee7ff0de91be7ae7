//! what: a handler on the alternate stack leaves by siglongjmp, 200 times, out of frames and of itself
//! right: handler's and risky's frames are gone; main calls after
//! calls: main=1 risky=200 deep=200 handler=200 report=200 after=200
//! edges: main>risky=200 risky>deep=200 handler>report=200 main>after=200
//! link: both
#include "case.h"
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
static sigjmp_buf back;
NI void report(void) { sink++; }
NI void handler(int s) { report(); siglongjmp(back, s); }
NI void deep(volatile int *p) { *p = 1; sink++; }
NI void risky(volatile int *p) { deep(p); sink++; }
NI void after(void) { sink++; }
int main(void) {
  stack_t st = {.ss_sp = malloc(65536), .ss_size = 65536}; sigaltstack(&st, 0);
  struct sigaction sa = {0}; sa.sa_handler = handler; sa.sa_flags = SA_ONSTACK; sigaction(SIGSEGV, &sa, 0);
  for (volatile int i = 0; i < 200; i++) { if (!sigsetjmp(back, 1)) risky(0); after(); }
  return 0;
}
