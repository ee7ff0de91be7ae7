//! what: the initializer of a function's static throws twice, then calls the function it belongs to for another static
//! right: get five times, make three times, two of them unwound
//! calls: main=1 get=5 make=3 other=1 caught=2
//! edges: main>get=4 get>make=3 make>other=1 other>get=1 main>caught=2
//! link: both
#include "case.h"
static int tries;
extern "C" {
int get(int which);
NI void caught() { sink++; }
NI int other() { return get(1); }
NI int make() { if (++tries < 3) throw tries; return other(); }
NI int get(int which) { if (which) { static int plain = tries * 2; return plain; } static int value = make(); return value; }
}
int main() { for (int i = 0; i < 4; i++) { try { get(0); } catch (int) { caught(); } } return 0; }
