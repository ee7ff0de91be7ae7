//! what: functions that are instrumented and leave by a jump in inline assembly: no exit; hooks that the program calls itself, unpaired
//! right: every call below its true caller all the same
//! calls: main=1 leaves=100 after=100 inner=100
//! edges: main>leaves=100 leaves>inner=100 main>after=100
//! opts: -O0 -O2
//! flags: -fno-omit-frame-pointer
#include "case.h"
void __cyg_profile_func_exit(void *, void *);
NI void inner(void) { sink++; }
NI void after(void) { volatile char pad[4000]; pad[0] = 1; sink += pad[0]; }
NOINST NI void bogus(void) { __cyg_profile_func_exit((void *)bogus, (void *)bogus); }
/* returns to its caller as the epilogue would, past its exit hook */
NI void leaves(void) { inner(); bogus(); __asm__ volatile("leave\n\tret"); }
int main(void) { for (volatile int i = 0; i < 100; i++) { leaves(); after(); } return 0; }
