//! what: nested parallel regions and 1,000 tasks, each of which makes two more, on four threads
//! right: every task's call is counted, whichever thread took it and whatever it had on its stack
//! calls: main=1 task=3000 leaf=3000 inner=8
//! edges: task>leaf=3000
//! flags: -fopenmp
//! threads: 4
//! timeout: 60
#include "case.h"
void omp_set_max_active_levels(int levels);
NI void leaf(int i) { __atomic_fetch_add((int *)&sink, i, 0); }
NI void task(int i) { leaf(i); }
NI void inner(void) { __atomic_fetch_add((int *)&sink, 1, 0); }
int main(void) {
  omp_set_max_active_levels(2);
#pragma omp parallel num_threads(4)
#pragma omp single
  for (int i = 0; i < 1000; i++) {
#pragma omp task
    {
      task(i);
#pragma omp task
      task(i + 1);
#pragma omp task
      task(i + 2);
#pragma omp taskwait
    }
  }
#pragma omp parallel num_threads(2)
  {
#pragma omp parallel num_threads(4)
    inner();
  }
  return 0;
}
