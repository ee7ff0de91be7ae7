//! what: the catching function moves its own stack pointer down (alloca in a loop) between enter and catch
//! right: taker's calls stay its children though its stack pointer at the catch is far below that of its enter
//! calls: main=1 taker=1 bad=100 mend=100 good=100
//! edges: main>taker=1 taker>bad=100 taker>mend=100 taker>good=100
//! link: both
#include "case.h"
#include <alloca.h>
extern "C" {
NI void bad(volatile char *p) { p[0] = 1; throw 1; }
NI void mend() { sink++; }
NI void good() { volatile char pad[2000]; pad[0] = 1; sink += pad[0]; }
NI void taker() { for (int i = 0; i < 100; i++) { volatile char *p = static_cast<char *>(alloca(1000 + 16 * i)); try { bad(p); sink++; } catch (int) { mend(); } good(); } }
}
int main() { taker(); return 0; }
