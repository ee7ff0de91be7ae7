//! what: a handler of SIGFPE calls abort, whose SIGABRT handler makes calls and returns: the process ends by SIGABRT all the same
//! right: fpe and abrt with their calls; all frames open at the end
//! calls: main=1 divide=1 fpe=1 abrt=1 note=2
//! edges: main>divide=1 fpe>note=1 abrt>note=1
//! rc: SIGABRT
//! link: both
#include "case.h"
#include <signal.h>
#include <stdlib.h>
NI void note(void) { sink++; }
NI void abrt(int s) { (void)s; note(); }
NI void fpe(int s) { (void)s; note(); abort(); }
NI int divide(volatile int by) { volatile int what = 100; return what / by; }
int main(void) { signal(SIGFPE, fpe); signal(SIGABRT, abrt); return divide(0); }
