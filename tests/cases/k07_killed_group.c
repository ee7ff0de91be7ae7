//! what: SIGKILL of a whole process group: a parent and three children, each with 1,000 calls behind it and open frames
//! right: all of them: 1,000 leaf calls of each of the four
//! calls: main=1 work=4 leaf=4000 hang=4
//! edges: main>work=4 work>leaf=4000 work>hang=4
//! procs: 4
//! rc: SIGKILL
//! link: both
#include "case.h"
#include <signal.h>
#include <unistd.h>
static int done[2], never[2];
NI void leaf(void) { sink++; }
NI void hang(int first) { char c; if (first) { for (int i = 0; i < 3; i++) while (read(done[0], &c, 1) != 1) ; kill(0, SIGKILL); } if (write(done[1], "x", 1)) {} if (read(never[0], &c, 1)) {} }
NI void work(int first) { for (int i = 0; i < 1000; i++) leaf(); hang(first); }
int main(void) { if (pipe(done) || pipe(never)) return 1; for (int i = 0; i < 3; i++) if (fork() == 0) { work(0); return 0; } work(1); return 0; }
