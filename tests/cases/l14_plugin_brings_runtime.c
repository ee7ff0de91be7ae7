//! what: a host without hooks loads an instrumented plugin that brings the runtime, calls it and unloads it, 20 times; constructors and destructors of the plugin make calls
//! right: everything of every round, the destructor's calls too
//! calls: enters=20 leaf=60 begin=20 end=20
//! edges: .>begin=20 .>end=20 begin>leaf=20 enters>leaf=20 end>leaf=20
//! build: $CC $OPT $I -DPLUGIN -shared -fPIC $SRC -o $D/plugin.so $HZ && $CC -O1 -w $I $SRC -o $BIN -ldl
#include "case.h"
#ifdef PLUGIN
NI void leaf(void) { sink++; }
__attribute__((constructor)) void begin(void) { leaf(); }
__attribute__((destructor)) void end(void) { leaf(); }
NI void enters(void) { leaf(); }
#else
#include <dlfcn.h>
#include <stdio.h>
int main(int c, char **v) {
  (void)c; char path[4200]; snprintf(path, sizeof path, "%.*splugin.so", (int)(__builtin_strrchr(v[0], '/') + 1 - v[0]), v[0]);
  for (int i = 0; i < 20; i++) { void *h = dlopen(path, RTLD_NOW | RTLD_LOCAL); if (!h) return 1; ((void (*)(void))dlsym(h, "enters"))(); if (dlclose(h)) return 2; }
  return 0;
}
#endif
