//! what: each child forks the next, five deep, each one call deeper, and all come back through the inherited frames
//! right: level is entered once per generation; back once per generation and process that came through
//! calls: main=1 level=5 inside=5 back=20
//! edges: main>level=1 level>level=4 level>inside=5 level>back=20
//! procs: 6
//! link: both
#include "case.h"
#include <sys/wait.h>
#include <unistd.h>
NI void inside(void) { sink++; }
NI void back(void) { sink++; }
NI void level(int n) { inside(); pid_t p = fork(); if (p) waitpid(p, 0, 0); if (p == 0 && n > 1) level(n - 1); back(); }
int main(void) { level(5); return 0; }
