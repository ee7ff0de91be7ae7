//! what: 200 threads start with a signal pending: its handler makes the thread's first calls, before its entry function
//! right: handler and entry are roots of their threads
//! calls: main=1 handler=200 tick=200 entry=200 leaf=200
//! edges: .>entry=200 entry>leaf=200 handler>tick=200
//! link: both
#include "case.h"
#include <pthread.h>
#include <signal.h>
#include <unistd.h>
NI void tick(void) { sink++; }
NI void leaf(void) { sink++; }
NI void handler(int s) { (void)s; tick(); }
NI void *entry(void *p) { leaf(); return p; }
NOINST static void *first(void *p) { sigset_t one; sigemptyset(&one); sigaddset(&one, SIGUSR1); pthread_kill(pthread_self(), SIGUSR1); pthread_sigmask(SIG_UNBLOCK, &one, 0); return entry(p); }
int main(void) {
  signal(SIGUSR1, handler); sigset_t one; sigemptyset(&one); sigaddset(&one, SIGUSR1); pthread_sigmask(SIG_BLOCK, &one, 0);
  for (int i = 0; i < 200; i++) { pthread_t t; pthread_create(&t, 0, first, 0); pthread_join(t, 0); }
  return 0;
}
