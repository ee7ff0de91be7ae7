//! what: void functions whose exit hook is itself tail-called at -O2, mutual recursion through such functions
//! right: each call below its caller, after is main's
//! calls: main=1 even=51 odd=50 after=1 last=101 depth=1
//! edges: main>even=1 even>odd=50 odd>even=50 even>last=51 odd>last=50 main>after=1 after>depth=1
//! link: both
#include "case.h"
NI void last(void) { sink++; }
void odd(int n);
NI void even(int n) { last(); if (n) odd(n - 1); }
NI void odd(int n) { last(); even(n - 1); }
NI void depth(void) { sink++; }
NI void after(void) { depth(); }
int main(void) { even(100); after(); return 0; }
