// What the zstd archive asks of the world outside, answered inside, hidden: so the library needs nothing of libc, and no
// replacement of these functions in the program under test is ever called.
//
// No heap: contexts live in memory that is given to ZSTD_initStaticCCtx; a call that wanted to allocate would fail as if
// memory had run out. The trace hooks are weak references in zstd: a program that is built on zstd may define them.
//
// Context: whoever compresses; signal-safe.
#include <cstddef>

extern "C" {

__attribute__((used)) void* malloc(size_t) { return nullptr; }
__attribute__((used)) void* calloc(size_t, size_t) { return nullptr; }
__attribute__((used)) void free(void*) {}

// Debian builds zstd with stack protectors.
[[noreturn]] __attribute__((used)) void __stack_chk_fail() { __builtin_trap(); }

// 0: this compression is not traced, so its end is not reported.
__attribute__((used)) unsigned long long ZSTD_trace_compress_begin(const void*) { return 0; }
__attribute__((used)) void ZSTD_trace_compress_end(unsigned long long, const void*) {}

}  // extern "C"
