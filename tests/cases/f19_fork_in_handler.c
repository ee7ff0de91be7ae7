//! what: a signal handler forks ten times; the child works inside the handler, returns from it and from main
//! right: the children inherit main>work>handler and go on in it
//! calls: main=1 work=10 handler=10 child=10 tail=20
//! edges: main>work=10 handler>child=10 work>tail=20
//! procs: 11
//! link: both
#include "case.h"
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
static volatile int is_child;
NI void child(void) { sink++; }
NI void tail(void) { sink++; }
NI void handler(int s) { (void)s; if (fork() == 0) { is_child = 1; child(); } }
NI void work(void) { raise(SIGUSR1); tail(); }
int main(void) { signal(SIGUSR1, handler); for (int i = 0; i < 10; i++) { work(); if (is_child) return 0; int st; wait(&st); if (st) return 9; } return 0; }
