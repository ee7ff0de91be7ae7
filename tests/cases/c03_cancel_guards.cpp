//! what: deferred cancellation two calls below a frame with something to destroy; clang emits no exits then, and nothing tells of the unwinding
//! right: ~Guard is called by guarded, whose frame it cleans up, not by loops or leaf, which are gone
//! calls: main=1 w=1 guarded=1 loops=1 Guard::~Guard=1 leaf=-1 after=1
//! edges: w>guarded=1 guarded>loops=1 guarded>Guard::~Guard=1 Guard::~Guard>after=1
//! threads: 2
//! link: both
#include "case.h"
#include <pthread.h>
#include <sched.h>
static int up;
NI void leaf() { sink++; }
NI void after() { sink++; }
struct Guard { NI ~Guard() { after(); } };
NI void loops() { for (;;) { leaf(); __atomic_store_n(&up, 1, __ATOMIC_SEQ_CST); pthread_testcancel(); } }
NI void guarded() { Guard guard; loops(); }
NI void* w(void* p) { guarded(); return p; }
int main() { pthread_t t; pthread_create(&t, 0, w, 0); while (!__atomic_load_n(&up, __ATOMIC_SEQ_CST)) sched_yield(); pthread_cancel(t); return pthread_join(t, 0); }
