//! what: -fnon-call-exceptions: the handler of a null store throws
//! right: as if the store had thrown
//! calls: main=1 guarded=100 store=100 handler=100 recover=100 after=100
//! edges: main>guarded=100 guarded>store=100 guarded>recover=100 guarded>after=100
//! only: gcc
//! flags: -fnon-call-exceptions
//! link: both
#include "case.h"
#include <csignal>
extern "C" {
NI void handler(int s) { sigset_t one; sigemptyset(&one); sigaddset(&one, s); sigprocmask(SIG_UNBLOCK, &one, 0); throw s; }
NI int store(volatile int *p) { *p = 1; sink++; return 1; }
NI void recover() { sink++; }
NI void after() { sink++; }
NI void guarded(volatile int *p) { try { store(p); sink++; } catch (int) { recover(); } after(); }
}
int main() { signal(SIGSEGV, handler); for (int i = 0; i < 100; i++) guarded(nullptr); return 0; }
