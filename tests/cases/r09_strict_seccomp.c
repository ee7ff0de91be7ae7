//! known: strict seccomp makes the processor's time stamp counter fault: the next hook that reads it ends the program
//! what: a sandboxed computation under SECCOMP_SET_MODE_STRICT: only read, write and the exit system call are left
//! right: before and inside, and the exit status of the program
//! calls: main=1 before=10 inside=10
//! edges: main>before=10 main>inside=10
//! rc: 7
#define _GNU_SOURCE
#include "case.h"
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
NI void before(void) { sink++; }
NI void inside(void) { sink++; }
int main(void) { for (int i = 0; i < 10; i++) before(); if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT)) return 1; for (int i = 0; i < 10; i++) inside(); syscall(SYS_exit, 7); return 2; }
