//! what: a handler that its own signal interrupts (SA_NODEFER), 30 deep; every other time the deepest jumps out of all of them
//! right: handlers nested below one another; work's next calls are work's
//! calls: main=1 work=20 handler=600 deepest=20 after=20 leaf=300
//! edges: main>work=20 handler>deepest=20 main>after=20 handler>leaf=300
//! link: both
#include "case.h"
#include <setjmp.h>
#include <signal.h>
static sigjmp_buf back; static volatile int depth, jumps;
NI void leaf(void) { sink++; }
NI void deepest(void) { if (jumps) siglongjmp(back, 1); sink++; }
NI void handler(int s) { if (++depth < 30) raise(s); else deepest(); leaf(); }
NI void work(void) { raise(SIGUSR1); sink++; }
NI void after(void) { volatile char pad[3000]; pad[0] = 1; sink += pad[0]; }
int main(void) {
  struct sigaction sa = {0}; sa.sa_handler = handler; sa.sa_flags = SA_NODEFER; sigaction(SIGUSR1, &sa, 0);
  for (volatile int i = 0; i < 20; i++) { depth = 0; jumps = i & 1; if (!sigsetjmp(back, 1)) work(); after(); }
  return 0;
}
