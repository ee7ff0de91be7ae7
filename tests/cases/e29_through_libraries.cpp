//! what: exceptions pass frames of libraries without hooks: qsort, call_once, std::function, std::sort
//! right: main>after four times; the callbacks are children of who called the library
//! calls: main=1 via_qsort=1 compare=1 via_once=2 once=2 via_function=1 target=1 via_sort=1 less=-1 after=5
//! edges: via_qsort>compare=1 via_once>once=2 via_function>target=1 main>after=5 main>via_sort=1
#include "case.h"
#include <algorithm>
#include <cstdlib>
#include <functional>
#include <mutex>
#include <vector>
static std::once_flag flag; static int tries;
extern "C" {
NI int compare(const void *, const void *) { sink++; throw 1; }
NI void via_qsort() { int a[4] = {3, 1, 2, 0}; qsort(a, 4, sizeof(int), compare); sink++; }
NI void once() { if (tries++ == 0) throw 2; sink++; }
NI void via_once() { std::call_once(flag, once); sink++; }
NI void target() { sink++; throw 3; }
NI void via_function() { std::function<void()> f(target); f(); sink++; }
NI bool less(int a, int b) { if (++sink % 5 == 0) throw 4; return a < b; }
NI void via_sort() { std::vector<int> v{9, 8, 7, 6, 5, 4, 3, 2, 1}; std::sort(v.begin(), v.end(), less); sink++; }
NI void after() { sink++; }
}
int main() {
  try { via_qsort(); } catch (int) { } after();
  try { via_once(); } catch (int) { } after();
  try { via_once(); } catch (int) { } after();
  try { via_function(); } catch (int) { } after();
  try { via_sort(); } catch (int) { } after();
  return 0;
}
