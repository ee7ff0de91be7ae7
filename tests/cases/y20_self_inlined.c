//! what: recursion that gcc inlines into itself: nested calls with one stack pointer and one call site
//! right: fact ten deep, each below the other
//! calls: main=1 fact=1000 leaf=100
//! edges: main>fact=100 fact>fact=900 fact>leaf=100
//! depth: 12
//! link: both
#include "case.h"
NI void leaf(void) { sink++; }
static long fact(long n) { if (n <= 1) { leaf(); return 1; } return n * fact(n - 1); }
int main(void) { for (int i = 0; i < 100; i++) sink += fact(10); return 0; }
