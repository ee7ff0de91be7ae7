//! what: longjmp out of callbacks that libc calls: qsort's comparison, bsearch's, a thread's pthread_once routine
//! right: the callbacks end, what follows is main's or the catcher's
//! calls: main=1 search=20 compare=20 sort=20 order=20 failed=40 after=20
//! edges: main>search=20 search>compare=20 main>sort=20 sort>order=20 main>failed=40 main>after=20
//! link: both
#include "case.h"
#include <setjmp.h>
#include <stdlib.h>
static jmp_buf back;
NI int compare(const void *a, const void *b) { (void)a; (void)b; sink++; longjmp(back, 1); }
NI int order(const void *a, const void *b) { (void)a; (void)b; sink++; longjmp(back, 1); }
NI void search(void) { int a[8] = {0}, key = 1; bsearch(&key, a, 8, sizeof(int), compare); sink++; }
NI void sort(void) { int a[8] = {3, 1, 2}; qsort(a, 8, sizeof(int), order); sink++; }
NI void failed(void) { volatile char pad[3000]; pad[0] = 1; sink += pad[0]; }
NI void after(void) { sink++; }
int main(void) { for (volatile int i = 0; i < 20; i++) { if (!setjmp(back)) search(); else failed(); if (!setjmp(back)) sort(); else failed(); after(); } return 0; }
