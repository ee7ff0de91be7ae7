//! what: a thread other than the first calls exec while main and a third record; the new image works on under the same process number
//! right: both images' calls are there: two traces, main=2
//! calls: main=2 execer=1 before=10 spin=1 blip=-1 after=10
//! edges: execer>before=10 main>after=10
//! procs: 2
//! link: both
#include "case.h"
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>
static char **args; static int up;
NI void before(void) { sink++; }
NI void after(void) { sink++; }
NI void blip(void) { sink++; }
NI void *spin(void *p) { for (;;) { blip(); __atomic_store_n(&up, 1, 0); } return p; }
NI void *execer(void *p) { while (!__atomic_load_n(&up, 0)) sched_yield(); for (int i = 0; i < 10; i++) before(); execl("/proc/self/exe", args[0], "again", (char *)0); abort(); return p; }
int main(int c, char **v) {
  if (c > 1) { for (int i = 0; i < 10; i++) after(); return 0; }
  args = v; pthread_t a, b; pthread_create(&a, 0, spin, 0); pthread_create(&b, 0, execer, 0); pthread_join(b, 0); return 1;
}
