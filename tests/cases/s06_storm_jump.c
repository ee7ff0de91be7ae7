//! what: a timer at 20 us whose handler makes calls and siglongjmps out of whatever it interrupted, the hook included
//! calls: main=1 leaf=2000000 tick=-1
//! edges: main>leaf=2000000
//! timeout: 60
//! link: both
#include "case.h"
#include <setjmp.h>
#include <signal.h>
#include <sys/time.h>
static sigjmp_buf back; static volatile sig_atomic_t armed;
static volatile long made;
NI void leaf(void) { made++; }
NI void tick(void) { sink++; }
NOINST void handler(int s) { (void)s; tick(); tick(); if (armed) { armed = 0; siglongjmp(back, 1); } }
NI void inner(void) { for (volatile int i = 0; i < 50; i++) sink++; }
NI void outer(void) { inner(); inner(); }
int main(void) { struct sigaction sa = {0}; sa.sa_handler = handler; sigaction(SIGALRM, &sa, 0);
  struct itimerval it = {{0, 20}, {0, 20}}; setitimer(ITIMER_REAL, &it, 0);
  for (int i = 0; i < 2000; i++) {
    for (int k = 0; k < 1000; k++) leaf();
    if (sigsetjmp(back, 1) == 0) { armed = 1; for (int k = 0; k < 200 && armed; k++) outer(); armed = 0; } }
  it.it_value.tv_usec = 0; it.it_interval.tv_usec = 0; setitimer(ITIMER_REAL, &it, 0); return made != 2000000; }
