//! what: coroutines that throw out of a resume, are destroyed while suspended (with a destructor that makes calls), are never started, and throw out of unhandled_exception; a generator
//! right: whoever resumes or destroys is the caller
//! calls: main=1 resumes=20 destroys=20 step=30 gone=20 after=40 yields=10 takes=10
//! edges: main>resumes=20 resumes>step=20 destroys>gone=20 main>after=40 main>destroys=20 takes>yields=10
//! std: c++20
#include "case.h"
#include <coroutine>
#include <exception>
struct Task {
  struct promise_type {
    int value = 0;
    NOINST Task get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
    NOINST std::suspend_always initial_suspend() noexcept { return {}; }
    NOINST std::suspend_always final_suspend() noexcept { return {}; }
    NOINST std::suspend_always yield_value(int v) noexcept { value = v; return {}; }
    NOINST void return_void() {}
    NOINST void unhandled_exception() { throw; }
  };
  std::coroutine_handle<promise_type> h;
};
NI void gone() { sink++; }
struct G { NOINST ~G() { gone(); } };
NI void step(bool t) { sink++; if (t) throw 1; }
NI int yields(int i) { return i; }
Task co(bool t) { step(false); co_yield 1; step(t); co_yield 2; }
Task held() { G g; co_yield 1; co_yield 2; }
Task gen(int n) { for (int i = 0; i < n; i++) co_yield yields(i); }
NI void resumes(Task t) { t.h.resume(); }
NI void destroys(Task t) { t.h.resume(); t.h.destroy(); }
NI void takes(Task t) { t.h.resume(); sink += t.h.promise().value; }
NI void after() { sink++; }
int main() {
  for (int i = 0; i < 10; i++) {
    Task t = co(true); resumes(t); try { resumes(t); } catch (int) {} after(); t.h.destroy();
  }
  for (int i = 0; i < 20; i++) { Task t = held(); destroys(t); after(); }
  for (int i = 0; i < 10; i++) { Task t = held(); t.h.destroy(); Task u = co(false); u.h.destroy(); after(); }
  Task g = gen(20); for (int i = 0; i < 10; i++) takes(g); g.h.destroy();
  for (int i = 0; i < 10; i++) { Task t = co(false); t.h.resume(); t.h.destroy(); }
  return 0;
}
