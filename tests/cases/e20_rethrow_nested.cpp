//! what: rethrown by a helper that a handler calls, thrown anew inside a handler, both handlers nested in one another, 200 times
//! right: each handler's calls are children of the function that catches; what was unwound has none of them
//! calls: main=1 outer=200 mid=200 thrower=200 again=200 handler=400 other=200 inner_caught=200 after=200
//! edges: main>outer=200 outer>mid=200 mid>thrower=200 mid>handler=200 mid>other=200 mid>inner_caught=200 mid>again=200 outer>handler=200 outer>after=200
//! link: both
#include "case.h"
extern "C" {
NI void thrower(int i) { sink++; if (i >= 0) throw i; }
NI void again() { sink++; throw; }
NI void handler() { sink++; }
NI void inner_caught() { sink++; }
NI void other(int i) { sink++; if (i >= 0) throw 1.5; }
NI void after() { sink++; }
NI void mid(int i) {
  try { thrower(i); sink++; }
  catch (int) {
    handler();
    try { other(i); sink++; } catch (double) { inner_caught(); }
    again();
    sink++;
  }
}
NI void outer(int i) { try { mid(i); sink++; } catch (int) { handler(); } after(); }
}
int main() { for (int i = 0; i < 200; i++) outer(i); return 0; }
