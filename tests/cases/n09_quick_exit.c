//! what: quick_exit two frames deep: at_quick_exit handlers run, atexit ones do not
//! right: the handlers are children of the frame that left
//! calls: main=1 a=1 b=1 quick_one=1 quick_two=1 never=0 leaf=2
//! edges: main>a=1 a>b=1 b>quick_one=1 b>quick_two=1 quick_one>leaf=1 quick_two>leaf=1
//! rc: 3
//! link: both
#include "case.h"
#include <stdlib.h>
NI void leaf(void) { sink++; }
NI void quick_one(void) { leaf(); }
NI void quick_two(void) { leaf(); }
NI void never(void) { sink++; }
NI void b(void) { quick_exit(3); }
NI void a(void) { b(); sink++; }
int main(void) { atexit(never); at_quick_exit(quick_one); at_quick_exit(quick_two); a(); return 0; }
