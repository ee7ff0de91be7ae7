//! what: handlers on a 4 KiB (or the least that the kernel takes) sigaltstack, first instrumented call of each thread is in the handler
//! calls: main=1 hand=320 deep=3200 w=-1
//! timeout: 60
//! link: both
#include "case.h"
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#ifndef AT_MINSIGSTKSZ
#define AT_MINSIGSTKSZ 51
#endif
static int rest; static size_t size;
NI void deep(int n) { if (n > 1) deep(n - 1); __atomic_fetch_add(&rest, 1, 0); }
NI void hand(int s) { (void)s; deep(10); }
NOINST static void *w(void *p) { 
  char *a = mmap(0, 65536, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); size_t up = (size + 4095) / 4096 * 4096; mprotect(a + 32768, up, PROT_READ | PROT_WRITE);
  stack_t st = {0}; st.ss_sp = a + 32768 + up - size; st.ss_size = size; if (sigaltstack(&st, 0)) abort();
  for (int i = 0; i < 10; i++) pthread_kill(pthread_self(), SIGUSR1); return p; }
int main(void) { size = getauxval(AT_MINSIGSTKSZ) + 1024; if (size < 4096) size = 4096; struct sigaction sa = {0}; sa.sa_handler = hand; sa.sa_flags = SA_ONSTACK; sigaction(SIGUSR1, &sa, 0);
  pthread_t t[32]; for (int i = 0; i < 32; i++) pthread_create(t + i, 0, w, 0); for (int i = 0; i < 32; i++) pthread_join(t[i], 0); return rest != 3200; }
