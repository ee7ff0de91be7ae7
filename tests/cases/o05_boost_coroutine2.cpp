//! what: Boost.Coroutine2: a pull coroutine whose producer yields from two frames deep; another is dropped half way, one throws through the switch
//! right: producer>emit on the coroutine's own stack; consumer's calls are main's
//! calls: main=1 producer=3 emit=45 consume=45 G::~G=3 caught=1
//! edges: producer>emit=45 main>consume=45 producer>G::~G=3 main>caught=1
//! libs: -lboost_context
//! std: c++17
#include "case.h"
#include <boost/coroutine2/all.hpp>
using Coroutine = boost::coroutines2::coroutine<int>;
struct G { NI ~G() { sink++; } };
extern "C" {
NI void emit(Coroutine::push_type &to, int i) { to(i); sink++; }
NI void producer(Coroutine::push_type &to, int n, bool fails) { G g; for (int i = 0; i < n; i++) emit(to, i); if (fails) throw 1; }
NI void consume(int i) { sink += i; }
NI void caught() { sink++; }
}
int main() {
  { Coroutine::pull_type from([](Coroutine::push_type &to) { producer(to, 20, false); }); while (from) { consume(from.get()); from(); } }
  { Coroutine::pull_type from([](Coroutine::push_type &to) { producer(to, 20, false); }); for (int i = 0; i < 5; i++) { consume(from.get()); if (i < 4) from(); } }
  try { Coroutine::pull_type from([](Coroutine::push_type &to) { producer(to, 20, true); }); while (from) { consume(from.get()); from(); } } catch (int) { caught(); }
  return 0;
}
