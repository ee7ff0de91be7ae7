//! what: pthread_exit three frames deep, past something to destroy; then the destructors of the thread's keys run
//! right: ~Guard is called by b, whose frame it cleans up; kd by nobody, since w, a and b are gone
//! calls: main=1 w=1 a=1 b=1 Guard::~Guard=1 kd=4 leaf=4
//! edges: w>a=1 a>b=1 b>Guard::~Guard=1 .>kd=4 kd>leaf=4
//! threads: 2
#include "case.h"
#include <pthread.h>
static pthread_key_t key;
NI void leaf() { sink++; }
NI void kd(void* p) { leaf(); pthread_setspecific(key, p); }
struct Guard { NI ~Guard() { sink++; } };
NI void b() { Guard guard; pthread_exit(0); }
NI void a() { b(); sink++; }
NI void* w(void* p) { pthread_setspecific(key, (void*)1); a(); return p; }
int main() { pthread_key_create(&key, kd); pthread_t t; pthread_create(&t, 0, w, 0); return pthread_join(t, 0); }
