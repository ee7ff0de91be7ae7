//! what: __builtin_longjmp out of three frames, a hundred times: no function is called that could be wrapped
//! right: main>guarded, guarded>z: what was jumped over has no further children
//! calls: main=1 guarded=100 a=100 b=100 z=100 y=100
//! edges: main>guarded=100 guarded>a=100 a>b=100 guarded>z=100 main>y=100
//! link: both
#include "case.h"
static void *back[5];
NI void b(void) { sink++; __builtin_longjmp(back, 1); }
NI void a(void) { volatile char pad[300]; pad[0] = 1; b(); sink += pad[0]; }
NI void z(void) { sink++; }
NI void y(void) { volatile char pad[3000]; pad[0] = 1; sink += pad[0]; }
NI void guarded(void) { if (__builtin_setjmp(back) == 0) a(); else z(); }
int main(void) { for (volatile int i = 0; i < 100; i++) { guarded(); y(); } return 0; }
