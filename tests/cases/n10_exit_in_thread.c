//! what: a thread calls exit while main waits and three others record; handlers run on the leaving thread
//! right: the handler below leave; open frames stay open
//! calls: main=1 leaver=1 leave=1 handler=1 leaf=1 spin=3 blip=-1
//! edges: leaver>leave=1 leave>handler=1 handler>leaf=1 .>spin=3
//! rc: 4
//! threads: 5
//! link: both
#include "case.h"
#include <pthread.h>
#include <stdlib.h>
static int up;
NI void leaf(void) { sink++; }
NI void blip(void) { sink++; }
NI void handler(void) { leaf(); }
NI void leave(void) { exit(4); }
NI void *leaver(void *p) { while (__atomic_load_n(&up, 0) < 3) sched_yield(); leave(); return p; }
NI void *spin(void *p) { blip(); __atomic_fetch_add(&up, 1, 0); for (;;) blip(); return p; }
int main(void) { atexit(handler); pthread_t t; for (int i = 0; i < 3; i++) pthread_create(&t, 0, spin, 0); pthread_create(&t, 0, leaver, 0); pthread_join(t, 0); return 0; }
