//! what: children of a fork longjmp out of frames they inherited, some after calls of their own
//! right: in the child main>handler and main>next
//! calls: main=1 top=10 low=10 own=5 handler=10 rest=10 next=20
//! edges: main>top=10 top>low=10 low>own=5 low>rest=10 main>handler=10 main>next=20
//! procs: 11
//! link: both
#include "case.h"
#include <setjmp.h>
#include <sys/wait.h>
#include <unistd.h>
static jmp_buf back;
NI void own(void) { sink++; }
NI void rest(void) { sink++; }
NI void low(int i) { if (fork() == 0) { if (i & 1) own(); longjmp(back, 1); } rest(); }
NI void top(int i) { low(i); sink++; }
NI void handler(void) { sink++; }
NI void next(void) { sink++; }
int main(void) { for (volatile int i = 0; i < 10; i++) { volatile int child = 0; if (!setjmp(back)) top(i); else { child = 1; handler(); } next(); if (child) return 0; int s; wait(&s); if (s) return 9; } return 0; }
