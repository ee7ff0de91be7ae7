//! what: a timer's handler makes calls, most of the time inside dlopen and dlclose of an instrumented library whose function is called each time
//! right: plug once for each load; tick as often as the handler made it
//! calls: main=1 plug=300 handler=-1 tick=500
//! edges: main>plug=300 handler>tick=500
//! build: $CC $OPT $I -DPLUGIN -shared -fPIC $SRC -o $D/plugin.so $HZ && $CC $OPT $I $SRC -o $BIN $HZ -ldl
//! timeout: 120
#include "case.h"
#ifdef PLUGIN
NI void plug(void) { sink++; }
#else
#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>
static volatile sig_atomic_t ticks;
NI void tick(void) { sink++; }
NI void handler(int s) { (void)s; if (ticks < 500) { ticks++; tick(); } }
int main(int c, char **v) {
  (void)c; char path[4200]; snprintf(path, sizeof path, "%.*splugin.so", (int)(__builtin_strrchr(v[0], '/') + 1 - v[0]), v[0]);
  signal(SIGALRM, handler); struct itimerval it = {{0, 100}, {0, 100}}; setitimer(ITIMER_REAL, &it, 0);
  for (int i = 0; i < 300 || ticks < 500; i++) {
    void *h = dlopen(path, RTLD_NOW); if (!h) return 1;
    if (i < 300) ((void (*)(void))dlsym(h, "plug"))();
    dlclose(h); }
  return 0;
}
#endif
