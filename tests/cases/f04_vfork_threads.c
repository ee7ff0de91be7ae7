//! what: 300 vfork + exec, each child making 50 calls in the parent's memory, a second thread records all the while
//! calls: main=1 leaf=15000 spin=1 blip=-1
//! timeout: 60
//! link: both
#include "case.h"
#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
static volatile int stop;
NI void leaf(void) { sink++; }
NI void blip(void) { sink++; }
NI void *spin(void *p) { while (!stop) blip(); return p; }
int main(void) { pthread_t t; pthread_create(&t, 0, spin, 0); for (int i = 0; i < 300; i++) { pid_t p = vfork(); if (p == 0) { for (int k = 0; k < 50; k++) leaf(); execl("/bin/true", "true", (char *)0); _exit(127); } int s; waitpid(p, &s, 0); if (s) return 9; } stop = 1; pthread_join(t, 0); return 0; }
