//! what: SIGEV_THREAD timers: each expiry runs its function on a new thread that libc makes
//! right: 30 threads' tick, each a root
//! calls: main=1 tick=30 leaf=30
//! edges: .>tick=30 tick>leaf=30
//! threads: 2
//! timeout: 60
#include "case.h"
#include <semaphore.h>
#include <signal.h>
#include <time.h>
static sem_t ran;
NI void leaf(void) { sink++; }
NI void tick(union sigval v) { (void)v; leaf(); sem_post(&ran); }
int main(void) {
  sem_init(&ran, 0, 0);
  struct sigevent e = {0}; e.sigev_notify = SIGEV_THREAD; e.sigev_notify_function = tick; timer_t t;
  if (timer_create(CLOCK_MONOTONIC, &e, &t)) return 1;
  for (int i = 0; i < 30; i++) { struct itimerspec once = {{0, 0}, {0, 100000}}; timer_settime(t, 0, &once, 0); while (sem_wait(&ran)) ; }
  return 0;
}
