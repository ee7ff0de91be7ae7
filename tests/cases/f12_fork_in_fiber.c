//! what: fork on a ucontext fiber; the child's fiber ends and it goes on, and returns, where the fiber was started
//! right: the child inherits both stacks: late is a child of start in both processes
//! calls: main=1 start=1 fiber=1 in_child=1 late=2
//! edges: main>start=1 fiber>in_child=1 start>late=2
//! procs: 2
//! link: both
#include "case.h"
#include <stdlib.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>
static ucontext_t host, own; static pid_t child;
NI void in_child(void) { sink++; }
NI void late(void) { sink++; }
NI void fiber(void) { child = fork(); if (child == 0) in_child(); }
NOINST static void run(void) { fiber(); }
NI void start(void) { getcontext(&own); own.uc_stack.ss_sp = malloc(262144); own.uc_stack.ss_size = 262144; own.uc_link = &host;
  makecontext(&own, run, 0); swapcontext(&host, &own); late(); }
int main(void) { start(); if (child == 0) return 0; int s; waitpid(child, &s, 0); return s; }
