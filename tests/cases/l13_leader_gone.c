//! what: main has left by pthread_exit, so /proc/self stands for a zombie; another thread loads a plugin, unlinks it and calls it
//! right: the plugin's functions have their names and callers
//! calls: main=1 late=1 plug=1 leaf=20000
//! edges: late>plug=1 plug>leaf=20000
//! threads: 2
//! build: $CC $OPT $I -fPIC -shared -DPLUGIN $SRC -o $D/plugin.so $HZ; $CC $OPT $I $SRC -o $BIN $HZ -ldl
#include "case.h"
#ifdef PLUGIN
NI void leaf(void) { sink++; }
NI void plug(void) { for (int i = 0; i < 20000; i++) leaf(); }
#else
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
NOINST static int main_has_left(void) { /* its threads' leader is a zombie */
  char line[256] = ""; FILE *f = fopen("/proc/self/stat", "r"); if (!f) return 1; if (!fgets(line, sizeof line, f)) line[0] = 0; fclose(f);
  for (char *c = line; *c; c++) if (c[0] == ')' && c[1] == ' ') return c[2] == 'Z'; return 0; }
NI void *late(void *p) { while (!main_has_left()) sched_yield(); void *h = dlopen("./plugin.so", RTLD_NOW); if (!h) { puts(dlerror()); exit(4); }
  unlink("plugin.so"); ((void (*)(void))dlsym(h, "plug"))(); exit(0); return p; }
int main(void) { pthread_t t; pthread_create(&t, 0, late, 0); pthread_exit(0); }
#endif
