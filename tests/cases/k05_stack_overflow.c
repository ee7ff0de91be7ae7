//! what: the stack overflows; nobody handles SIGSEGV
//! right: every frame is in the profile, one below the other, all open
//! calls: main=1 start=1 rec=-1
//! edges: main>start=1 start>rec=1
//! rc: SIGSEGV
//! link: both
#include "case.h"
NI int rec(int n) { volatile char pad[200]; pad[n & 127] = 1; return rec(n + 1) + pad[1]; }
NI void start(void) { rec(1); sink++; }
int main(void) { start(); return 0; }
