//! what: a plugin's function throws through its own frames into the host, which catches and unloads it, 20 times
//! right: the plugin's frames end in the host's handler
//! calls: main=1 visit=20 enters=20 fails=20 caught=20 after=20
//! edges: main>visit=20 visit>enters=20 enters>fails=20 visit>caught=20 main>after=20
//! build: $CC $OPT $I -DPLUGIN -shared -fPIC $SRC -o $D/plugin.so $HZ && $CC $OPT $I $SRC -o $BIN $HZ -ldl
#include "case.h"
#ifdef PLUGIN
extern "C" { NI void fails() { sink++; throw 1; } NI void enters() { fails(); sink++; } }
#else
#include <dlfcn.h>
#include <cstdio>
#include <cstring>
extern "C" {
NI void caught() { sink++; }
NI void after() { sink++; }
NI void visit(const char *path) { void *h = dlopen(path, RTLD_NOW | RTLD_LOCAL); try { reinterpret_cast<void (*)()>(dlsym(h, "enters"))(); sink++; } catch (int) { caught(); } dlclose(h); }
}
int main(int, char **v) { char path[4200]; snprintf(path, sizeof path, "%.*splugin.so", static_cast<int>(strrchr(v[0], '/') + 1 - v[0]), v[0]); for (int i = 0; i < 20; i++) { visit(path); after(); } return 0; }
#endif
