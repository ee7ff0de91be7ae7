//! what: an exception leaves a thread's entry function: terminate runs its handler on that thread, which leaves the process
//! right: all frames of the thread are open; the handler is the only further call
//! calls: main=1 entry=1 deep=1 onterm=1 last=1
//! edges: entry>deep=1 onterm>last=1
//! rc: 5
//! link: both
#include "case.h"
#include <exception>
#include <pthread.h>
#include <unistd.h>
extern "C" {
NI void last() { sink++; }
NI void onterm() { last(); _exit(5); }
NI void deep() { sink++; throw 1; }
NI void *entry(void *p) { deep(); return p; }
}
int main() { std::set_terminate(onterm); pthread_t t; pthread_create(&t, 0, entry, 0); pthread_join(t, 0); return 0; }
