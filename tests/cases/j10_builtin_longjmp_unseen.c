//! limit_gcc: 2 __builtin_longjmp calls nothing that could be recorded, and calls from a function without hooks do not tell which frames are alive
//! limit_clang: 2 __builtin_longjmp calls nothing that could be recorded, and calls from a function without hooks do not tell which frames are alive
//! what: as j05, but the function that is jumped to has no hooks
//! right: main>z
//! calls: main=1 a=100 b=100 z=100
//! edges: main>a=100 a>b=100 main>z=100
#include "case.h"
static void *back[5];
NI void b(void) { sink++; __builtin_longjmp(back, 1); }
NI void a(void) { volatile char pad[300]; pad[0] = 1; b(); sink += pad[0]; }
NI void z(void) { volatile char pad[3000]; pad[0] = 1; sink += pad[0]; }
NOINST NI static void guarded(void) { if (__builtin_setjmp(back) == 0) a(); else z(); }
int main(void) { for (volatile int i = 0; i < 100; i++) guarded(); return 0; }
