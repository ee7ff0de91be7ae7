//! what: system() and popen() of a shell and of the program itself between calls: output and wait statuses are the program's own
//! right: the program's child image has its own trace, the shells have none
//! calls: main=6 step=20 child=5
//! edges: main>step=20 main>child=5
//! procs: 6
//! link: both
#include "case.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
NI void step(void) { sink++; }
NI void child(void) { sink++; }
int main(int c, char **v) {
  if (c > 1) { child(); printf("line\n"); return 7; }
  char self[4200]; snprintf(self, sizeof self, "%s child", v[0]);
  for (int i = 0; i < 5; i++) {
    step(); int s = system("exit 3"); if (!WIFEXITED(s) || WEXITSTATUS(s) != 3) return 1;
    step(); s = system("kill -9 $$"); if (!WIFSIGNALED(s) || WTERMSIG(s) != 9) return 2;
    step(); FILE *f = popen(self, "r"); char line[64] = "", more[64]; if (!fgets(line, 64, f) || strcmp(line, "line\n")) return 3;
    if (fgets(more, 64, f)) return 4;
    step(); s = pclose(f); if (!WIFEXITED(s) || WEXITSTATUS(s) != 7) return 5;
  }
  return 0;
}
