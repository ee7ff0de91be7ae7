//! known: the fiber runs on memory in the middle of a frame that is alive: its records cannot be told from those of the frames around it
//! what: a fiber's stack is a local array of the function that starts it, in a thread and in main; the fiber and its starter both make nested calls
//! right: body is a root; deep's calls are the starter's
//! calls: main=1 host=2 body=2 step=100 leaf=200 deep=100 worker=1
//! edges: .>body=2 body>step=100 step>leaf=100 host>deep=100 deep>leaf=100 main>host=1 worker>host=1
//! link: both
#include "case.h"
#include <pthread.h>
#include <ucontext.h>
static ucontext_t fiber, home;
NI void leaf(void) { sink++; }
NI void step(void) { leaf(); swapcontext(&fiber, &home); }
NI void body(void) { for (int i = 0; i < 50; i++) step(); for (;;) swapcontext(&fiber, &home); }
NI void deep(void) { volatile char pad[5000]; pad[0] = 1; leaf(); sink += pad[0]; }
NI void host(void) {
  char stack[65536]; getcontext(&fiber); fiber.uc_stack.ss_sp = stack; fiber.uc_stack.ss_size = sizeof stack; makecontext(&fiber, body, 0);
  for (int i = 0; i < 50; i++) { swapcontext(&home, &fiber); deep(); } }
NI void *worker(void *p) { host(); return p; }
int main(void) { host(); pthread_t t; pthread_create(&t, 0, worker, 0); pthread_join(t, 0); return 0; }
