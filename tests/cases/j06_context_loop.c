//! what: getcontext in a loop, setcontext back to it from two frames deeper on the same stack, 100 times
//! right: what setcontext left is gone; after each jump main calls z
//! calls: main=1 loop=1 a=100 b=100 z=100
//! edges: main>loop=1 loop>a=100 a>b=100 loop>z=100
//! link: both
#include "case.h"
#include <ucontext.h>
static ucontext_t back;
NI void b(void) { sink++; setcontext(&back); }
NI void a(void) { volatile char pad[500]; pad[0] = 1; b(); sink += pad[0]; }
NI void z(void) { sink++; }
NI void loop(void) { volatile int n = 0; getcontext(&back); if (n) z(); if (n < 100) { n++; a(); } }
int main(void) { loop(); return 0; }
