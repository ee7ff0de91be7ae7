//! what: a plugin with a constructor, a destructor, an ifunc chosen by an uninstrumented resolver and target clones, loaded twice and unloaded
//! right: both lives' calls, each once
//! only: gcc
//! calls: main=1 coming=2 going=2 plain_way=2 hot=6 plug=2
//! edges: main>coming=2 main>going=2 main>plug=2 plug>plain_way=2 plug>hot=6
//! build: $CC $OPT $I -shared -fPIC -DPLUG $SRC -o $D/p.so $HZ ; $CC $OPT $I -DDIR="\"$D\"" $SRC -o $BIN $HZ
#include "case.h"
#ifdef PLUG
__attribute__((constructor)) NI void coming(void) { sink++; }
__attribute__((destructor)) NI void going(void) { sink++; }
NI void plain_way(void) { sink++; }
NOINST static void (*choose(void))(void) { return plain_way; }
void way(void) __attribute__((ifunc("choose")));
__attribute__((target_clones("avx2", "default"))) NI int hot(int x) { return x * 2; }
NI int plug(void) { way(); int s = 0; for (int i = 0; i < 3; i++) s += hot(i); return s; }
#else
#include <dlfcn.h>
#include <stdio.h>
int main(void) {
    for (int i = 0; i < 2; i++) {
        void *h = dlopen(DIR "/p.so", RTLD_NOW);
        if (!h) { puts(dlerror()); return 1; }
        if (((int (*)(void))dlsym(h, "plug"))() != 6) return 2;
        dlclose(h);
    }
    return 0;
}
#endif
