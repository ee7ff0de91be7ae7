//! what: a SIGSEGV handler throws; the exception leaves the handler, the signal frame and the interrupted function (raise is called there)
//! right: risky and the handler end in the catch of guarded
//! calls: main=1 guarded=100 risky=100 handler=100 recover=100 after=100
//! edges: main>guarded=100 guarded>risky=100 guarded>recover=100 guarded>after=100
//! link: both
#include "case.h"
#include <csignal>
extern "C" {
NI void handler(int s) { sigset_t one; sigemptyset(&one); sigaddset(&one, s); sigprocmask(SIG_UNBLOCK, &one, 0); throw s; }
static int (*volatile send)(int) = raise;  // declared noexcept, but not through a pointer
NI void risky() { send(SIGSEGV); sink++; }
NI void recover() { sink++; }
NI void after() { sink++; }
NI void guarded() { try { risky(); sink++; } catch (int) { recover(); } after(); }
}
int main() { signal(SIGSEGV, handler); for (int i = 0; i < 100; i++) guarded(); return 0; }
