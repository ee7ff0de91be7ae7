// Prints the address of `many` in this file's symbol table's terms, as an instrumented program would record it.
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>

extern const char __executable_start[];

__attribute__((target_clones("avx2", "default"), noinline)) int many(int x) { return x + 1; }

int main(void) {
    uintptr_t here = (uintptr_t)__executable_start;
    uintptr_t address = (uintptr_t)&many;
    // Position-independent programs are linked at 0 and loaded anywhere, others where they are linked.
#ifdef __PIE__
    address -= here;
#else
    (void)here;
#endif
    printf("%" PRIxPTR "\n", address);
    return 0;
}
