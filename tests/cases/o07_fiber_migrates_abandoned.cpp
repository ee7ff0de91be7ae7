//! what: Boost.Context fibers continued by one thread after another, ten threads in turn; one fiber is dropped while it is suspended in nested calls
//! right: body>step on the fiber's stack, whichever thread; the dropped one's frames end when it is unwound
//! calls: main=1 carrier=10 body=2 step=12 leaf=23 G::~G=2
//! edges: body>step=12 step>leaf=23 body>G::~G=2 .>carrier=10
//! libs: -lboost_context
//! std: c++17
#include "case.h"
#include <boost/context/fiber.hpp>
#include <pthread.h>
namespace ctx = boost::context;
struct G { NI ~G() { sink++; } };
extern "C" {
NI void leaf() { sink++; }
NI void step(ctx::fiber &home) { leaf(); home = std::move(home).resume(); leaf(); }
NI void body(ctx::fiber &home, int n) { G g; for (int i = 0; i < n; i++) step(home); }
NI void *carrier(void *p) { auto &f = *static_cast<ctx::fiber *>(p); f = std::move(f).resume(); return p; }
}
int main() {
  ctx::fiber f{[](ctx::fiber &&home) { body(home, 9); return std::move(home); }};
  for (int i = 0; i < 10; i++) { pthread_t t; pthread_create(&t, 0, carrier, &f); pthread_join(t, 0); }
  if (f) return 1;
  ctx::fiber g{[](ctx::fiber &&home) { body(home, 9); return std::move(home); }};
  for (int i = 0; i < 3; i++) g = std::move(g).resume();
  return 0;
}
