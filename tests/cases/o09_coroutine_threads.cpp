//! what: a C++20 coroutine is resumed by ten threads in turn; a generator throws out of its resume; one is destroyed while suspended
//! right: step below the resuming thread's carrier; the exception's handler below main
//! calls: main=1 carrier=10 step=10 made=3 failing=3 caught=1 G::~G=1
//! edges: carrier>step=10 main>made=3 main>caught=1
//! std: c++20
#include "case.h"
#include <coroutine>
#include <exception>
#include <pthread.h>
#include <utility>
struct Task {
  struct promise_type {
    std::exception_ptr error;
    NOINST Task get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
    NOINST std::suspend_always initial_suspend() { return {}; }
    NOINST std::suspend_always final_suspend() noexcept { return {}; }
    NOINST void return_void() {}
    NOINST void unhandled_exception() { error = std::current_exception(); }
  };
  std::coroutine_handle<promise_type> handle;
};
struct G { NI ~G() { sink++; } };
extern "C" { NI void step() { sink++; } NI void made() { sink++; } NI void failing(int i) { if (i == 2) throw 3; sink++; } NI void caught() { sink++; } }
static Task walk() { for (int i = 0; i < 10; i++) { step(); co_await std::suspend_always{}; } }
static Task fails() { for (int i = 0; i < 5; i++) { failing(i); co_await std::suspend_always{}; } }
static Task waits() { G g; for (;;) co_await std::suspend_always{}; }
extern "C" { NI void *carrier(void *p) { static_cast<Task *>(p)->handle.resume(); return p; } }
int main() {
  Task w = walk();
  for (int i = 0; i < 10; i++) { pthread_t t; pthread_create(&t, 0, carrier, &w); pthread_join(t, 0); }
  w.handle.destroy();
  Task f = fails();
  try { for (int i = 0; i < 5; i++) { made(); f.handle.resume(); if (f.handle.promise().error) std::rethrow_exception(f.handle.promise().error); } } catch (int) { caught(); }
  f.handle.destroy();
  Task g = waits(); g.handle.resume(); g.handle.destroy();
  return 0;
}
