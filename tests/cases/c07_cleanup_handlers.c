//! what: pthread_exit and deferred cancellation three frames deep, with instrumented cleanup handlers pushed at two depths
//! right: the cleanup handlers run; what follows on other threads is not touched
//! calls: main=1 leaver=20 waiter=20 mid=40 low=40 clean=80 joined=40
//! edges: leaver>mid=20 waiter>mid=20 mid>low=40 main>joined=40
//! threads: 41
//! link: both
#include "case.h"
#include <pthread.h>
#include <unistd.h>
NI void clean(void *p) { sink++; (void)p; }
NI void low(int cancelled) { pthread_cleanup_push(clean, 0); if (cancelled) for (;;) pause(); else pthread_exit(0); pthread_cleanup_pop(0); }
NI void mid(int cancelled) { pthread_cleanup_push(clean, 0); low(cancelled); pthread_cleanup_pop(0); sink++; }
NI void *leaver(void *p) { mid(0); return p; }
NI void *waiter(void *p) { mid(1); return p; }
NI void joined(void) { sink++; }
int main(void) {
  for (int i = 0; i < 20; i++) {
    pthread_t t; pthread_create(&t, 0, leaver, 0); pthread_join(t, 0); joined();
    pthread_create(&t, 0, waiter, 0); pthread_cancel(t); pthread_join(t, 0); joined();
  }
  return 0;
}
