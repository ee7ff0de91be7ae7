//! what: ucontext fibers abandoned in nested calls; their stack memory is used again for the next fiber at once, 50 times
//! right: each fiber's begin is a root; none is a child of the abandoned frames
//! calls: main=1 begin=50 inner=50 deepest=50 turn=50
//! edges: .>begin=50 begin>inner=50 inner>deepest=50 main>turn=50
//! link: both
#include "case.h"
#include <stdlib.h>
#include <ucontext.h>
static ucontext_t fiber, home;
NI void deepest(void) { swapcontext(&fiber, &home); sink++; }
NI void inner(void) { volatile char pad[200]; pad[0] = 1; deepest(); sink += pad[0]; }
NI void begin(void) { inner(); sink++; }
NI void turn(void) { sink++; }
int main(void) {
  char *stack = malloc(65536);
  for (int i = 0; i < 50; i++) { getcontext(&fiber); fiber.uc_stack.ss_sp = stack; fiber.uc_stack.ss_size = 65536; fiber.uc_link = &home; makecontext(&fiber, begin, 0); swapcontext(&home, &fiber); turn(); }
  return 0;
}
