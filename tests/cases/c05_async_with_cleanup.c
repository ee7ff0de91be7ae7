//! what: 200 threads cancelled asynchronously in the middle of nested calls, cleanup handlers at two depths make calls of their own
//! right: each handler runs once and makes its call
//! calls: main=1 worker=200 mid=200 spin=200 leaf=-1 clean=400 note=400
//! edges: worker>mid=200 mid>spin=200 clean>note=400
//! timeout: 60
//! link: both
#include "case.h"
#include <pthread.h>
static int up;
NI void note(void) { sink++; }
NI void clean(void *p) { (void)p; note(); }
NI void leaf(void) { sink++; }
NI void spin(void) { pthread_cleanup_push(clean, 0); __atomic_fetch_add(&up, 1, 0); for (;;) leaf(); pthread_cleanup_pop(0); }
NI void mid(void) { pthread_cleanup_push(clean, 0); spin(); pthread_cleanup_pop(0); sink++; }
NI void *worker(void *p) { pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, 0); mid(); return p; }
int main(void) { for (int i = 0; i < 200; i++) { pthread_t t; pthread_create(&t, 0, worker, 0); while (__atomic_load_n(&up, 0) < i + 1) sched_yield(); pthread_cancel(t); pthread_join(t, 0); } return 0; }
