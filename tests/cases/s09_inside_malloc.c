//! what: a timer's handler makes calls, most of the time inside malloc and free; 2,000 of them, then the timer stops
//! right: tick 2,000 times, churn's own calls untouched
//! calls: main=1 churn=-1 handler=-1 tick=2000
//! edges: handler>tick=2000
//! timeout: 120
//! link: both
#include "case.h"
#include <signal.h>
#include <stdlib.h>
#include <sys/time.h>
static volatile sig_atomic_t ticks;
NI void tick(void) { sink++; }
NI void handler(int s) { (void)s; if (ticks < 2000) { ticks++; tick(); } }
NI void churn(void) { void *p[64]; for (int i = 0; i < 64; i++) p[i] = malloc(24 + 97 * i); for (int i = 63; i >= 0; i--) free(p[i]); }
int main(void) {
  signal(SIGALRM, handler); struct itimerval it = {{0, 100}, {0, 100}}; setitimer(ITIMER_REAL, &it, 0);
  while (ticks < 2000) churn();
  it.it_interval.tv_usec = it.it_value.tv_usec = 0; setitimer(ITIMER_REAL, &it, 0); return 0;
}
