//! what: vfork whose exec fails, 100 times; the child calls in the parent's memory and leaves by _exit(127)
//! right: the child's calls stand below spawn; the parent goes on in spawn
//! calls: main=1 spawn=100 before=100 failed=100 status=100
//! edges: main>spawn=100 spawn>before=100 spawn>failed=100 spawn>status=100
//! link: both
#include "case.h"
#include <sys/wait.h>
#include <unistd.h>
NI void before(void) { sink++; }
NI void failed(void) { sink++; }
NI int status(int s) { sink++; return WIFEXITED(s) && WEXITSTATUS(s) == 127; }
NI int spawn(void) { pid_t p = vfork(); if (p == 0) { before(); execl("/nonexistent/program", "program", (char *)0); failed(); _exit(127); } int s; waitpid(p, &s, 0); return status(s); }
int main(void) { for (int i = 0; i < 100; i++) if (!spawn()) return 9; return 0; }
