//! what: threads made by clone itself (CLONE_VM, CLONE_THREAD, CLONE_SETTLS) with thread-local storage of their own, all zeros, as other languages' runtimes do
//! right: each is a thread like any other
//! calls: main=1 entry=20 leaf=2000
//! edges: .>entry=20 entry>leaf=2000 main>leaf=0
//! threads: 21
//! link: both
#define _GNU_SOURCE
#include "case.h"
#include <asm/prctl.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
NI void leaf(void) { sink++; }
NI int entry(void *p) { (void)p; for (int i = 0; i < 100; i++) leaf(); return 0; }
int main(void) {
  unsigned long own; syscall(SYS_arch_prctl, ARCH_GET_FS, &own);
  for (int i = 0; i < 20; i++) {
    static volatile int alive; char *stack = malloc(262144), *block = aligned_alloc(64, 65536), *self = block + 32768; alive = 1;
    memset(block, 0, 65536); memcpy(self + 8, (void *)(own + 8), 8); memcpy(self + 0x28, (void *)(own + 0x28), 16);
    *(char **)self = self; *(char **)(self + 16) = self;
    if (clone(entry, stack + 262144, CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM | CLONE_SETTLS | CLONE_CHILD_CLEARTID, 0, 0, self, &alive) < 0) return 1;
    while (__atomic_load_n(&alive, __ATOMIC_ACQUIRE)) sched_yield();
    free(stack); free(block); }
  return 0;
}
