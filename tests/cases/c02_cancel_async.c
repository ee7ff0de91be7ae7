//! what: 500 threads cancelled asynchronously while they make calls as fast as they can
//! calls: main=1 w=500 mark=500 leaf=-1
//! timeout: 60
//! link: both
#include "case.h"
#include <pthread.h>
#include <unistd.h>
static int up;
NI void leaf(void) { sink++; }
NI void mark(void) { sink++; }
NI void *w(void *p) { mark(); __atomic_fetch_add(&up, 1, 0); pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, 0); for (;;) leaf(); return p; }
int main(void) { for (int i = 0; i < 250; i++) { pthread_t t[2]; pthread_create(t, 0, w, 0); pthread_create(t + 1, 0, w, 0); while (__atomic_load_n(&up, 0) < 2 * i + 2) sched_yield(); pthread_cancel(t[0]); pthread_cancel(t[1]); pthread_join(t[0], 0); pthread_join(t[1], 0); } return 0; }
