//! what: threads one after another get the same number (in a pid namespace of our own where that is allowed)
//! right: 40 threads, each with its one call of entry
//! calls: main=1 entry=40 leaf=400
//! edges: .>entry=40 entry>leaf=400
//! threads: 41
//! link: both
#define _GNU_SOURCE
#include "case.h"
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
NI void leaf(void) { sink++; }
NI void *entry(void *p) { for (int i = 0; i < 10; i++) leaf(); return p; }
int main(void) {
  if (unshare(CLONE_NEWPID) == 0) { int s; pid_t p = fork(); if (p) { waitpid(p, &s, 0); return WEXITSTATUS(s); } }
  for (int i = 0; i < 40; i++) {
    FILE *f = fopen("/proc/sys/kernel/ns_last_pid", "w"); if (f) { fprintf(f, "%d", 100); fclose(f); }
    pthread_t t; if (pthread_create(&t, 0, entry, 0)) return 1; pthread_join(t, 0); }
  return 0;
}
