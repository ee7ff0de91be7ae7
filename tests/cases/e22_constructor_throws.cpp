//! what: the third member's constructor throws: two members are destroyed; new's memory is given back; then a static initializer that catches
//! right: A::~A twice below Whole (where the unwinding is), main goes on; before main: setup>boom and setup>saved
//! calls: main=1 A::A=2 A::~A=2 B::B=1 Whole::Whole=1 build=1 done=1 setup=1 boom=1 saved=1
//! edges: main>build=1 build>Whole::Whole=1 Whole::Whole>A::A=2 Whole::Whole>B::B=1 Whole::Whole>A::~A=2 main>done=1 setup>boom=1 setup>saved=1
//! link: both
#include "case.h"
struct A { NI A() { sink++; } NI ~A() { sink++; } };
struct B { NI B() { sink++; throw 1; } NI ~B() { sink++; } };
struct Whole { A first, second; B third; NI Whole() { sink++; } };
extern "C" {
NI void build() { Whole *w = new Whole; delete w; }
NI void done() { sink++; }
NI void boom() { sink++; throw 2; }
NI void saved() { sink++; }
NI int setup() { try { boom(); } catch (int) { saved(); } return 1; }
}
static int before_main = setup();
int main() { try { build(); } catch (int) { done(); } return before_main != 1; }
