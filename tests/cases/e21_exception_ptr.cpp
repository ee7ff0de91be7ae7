//! what: an exception kept by exception_ptr in a worker and rethrown in main, ten times; another goes through promise and future
//! right: the worker's frames end in its handler; main's rethrow unwinds only main's own frames
//! calls: main=1 worker=10 fail=20 kept=10 take=10 caught=10 promiser=10 get=10
//! edges: worker>fail=10 worker>kept=10 main>take=10 main>caught=10 promiser>fail=10 main>get=10 .>worker=10 .>promiser=10
//! threads: 21
//! link: both
#include "case.h"
#include <exception>
#include <future>
#include <pthread.h>
static std::exception_ptr box;
extern "C" {
NI void fail(int i) { sink++; if (i) throw 7; }
NI void kept() { box = std::current_exception(); }
NI void *worker(void *p) { try { fail(1); sink++; } catch (...) { kept(); } return p; }
NI void take() { std::rethrow_exception(box); }
NI void caught() { sink++; box = nullptr; }
NI void *promiser(void *p) { auto &to = *static_cast<std::promise<int> *>(p); try { fail(1); to.set_value(1); } catch (...) { to.set_exception(std::current_exception()); } return nullptr; }
NI int get(std::future<int> &from) { return from.get() + 1; }
}
int main() {
  int seen = 0;
  for (int i = 0; i < 10; i++) {
    pthread_t t; pthread_create(&t, 0, worker, 0); pthread_join(t, 0);
    try { take(); } catch (int) { caught(); seen++; }
    std::promise<int> p; auto f = p.get_future();
    pthread_create(&t, 0, promiser, &p);
    try { get(f); } catch (int) { seen++; }
    pthread_join(t, 0);
  }
  return seen != 20;
}
