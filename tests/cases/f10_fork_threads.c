//! what: main forks 60 times while 3 threads record at full speed; the child makes 100 calls and ends by exit
//! calls: main=1 child=60 leaf=6000 spin=3 blip=-1
//! timeout: 90
//! procs: 61
//! settle: 0.1
//! link: both
#include "case.h"
#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
static volatile int stop;
NI void leaf(void) { sink++; }
NI void blip(void) { sink++; }
NI void child(void) { for (int i = 0; i < 100; i++) leaf(); }
NI void *spin(void *p) { while (!stop) blip(); return p; }
int main(void) { pthread_t t[3]; for (int i = 0; i < 3; i++) pthread_create(t + i, 0, spin, 0);
  for (int i = 0; i < 60; i++) { pid_t p = fork(); if (p == 0) { child(); exit(0); } int s; waitpid(p, &s, 0); if (s) return 9; }
  stop = 1; for (int i = 0; i < 3; i++) pthread_join(t[i], 0); return 0; }
