//! what: plugin A is loaded, called, unloaded; plugin B (same layout) is loaded at the same address and called; then A again
//! right: plug_a=2 plug_b=1 although all three have the same address
//! calls: main=1 plug_a=2 plug_b=1
//! edges: main>plug_a=2 main>plug_b=1
//! build: $CC $OPT $I -shared -fPIC -DPLUG=plug_a $SRC -o $D/pa.so ; $CC $OPT $I -shared -fPIC -DPLUG=plug_b $SRC -o $D/pb.so ; $CC $OPT $I -DDIR="\"$D\"" $SRC -o $BIN $HZ -Wl,-rpath,$LIBD -ldl
#include "case.h"
#ifdef PLUG
NI void PLUG(void) { sink++; }
void (*go)(void) = PLUG;
#else
#include <dlfcn.h>
#include <stdio.h>
static void *last;
NOINST static int one(const char *p) { void *h = dlopen(p, RTLD_NOW); if (!h) { puts(dlerror()); return 1; } void (*g)(void) = *(void (**)(void))dlsym(h, "go"); printf("%s at %p\n", p, (void *)g); int moved = last && last != (void *)g; last = (void *)g; g(); dlclose(h); return moved ? 2 : 0; }
int main(void) { return one(DIR "/pa.so") + one(DIR "/pb.so") + one(DIR "/pa.so"); }
#endif
