//! what: a handler on an alternate signal stack throws; the exception goes on to the interrupted frames on the thread's own stack, 100 times
//! right: the frames of both stacks end in guarded's handler
//! calls: main=1 guarded=100 risky=100 handler=100 lift=100 recover=100 after=100
//! edges: main>guarded=100 guarded>risky=100 handler>lift=100 guarded>recover=100 guarded>after=100
//! link: both
#include "case.h"
#include <csignal>
static char other[65536];
static int (*volatile send)(int) = raise;  // declared noexcept, but not through a pointer
extern "C" {
NI void lift(int s) { sink++; throw s; }
NI void handler(int s) { sigset_t one; sigemptyset(&one); sigaddset(&one, s); sigprocmask(SIG_UNBLOCK, &one, 0); lift(s); sink++; }
NI void risky() { send(SIGUSR1); sink++; }
NI void recover() { sink++; }
NI void after() { sink++; }
NI void guarded() { try { risky(); sink++; } catch (int) { recover(); } after(); }
}
int main() {
  stack_t st = {}; st.ss_sp = other; st.ss_size = sizeof other; sigaltstack(&st, nullptr);
  struct sigaction sa = {}; sa.sa_handler = handler; sa.sa_flags = SA_ONSTACK; sigaction(SIGUSR1, &sa, nullptr);
  for (int i = 0; i < 100; i++) guarded();
  return 0;
}
