// Whether thread-local storage exists. In a dynamically linked program it always does when a hook runs; in a static one, ifunc
// resolvers run before it is set up (the thread pointer is 0 then) and any access to a thread variable would fault.
#pragma once

#include "sys.h"

namespace fnprof::rt {

#if defined(FNPROF_STATIC)
extern bool g_tls_ready __attribute__((visibility("hidden")));

// Out of line: asks the kernel for the thread pointer until it is set.
__attribute__((cold, noinline, visibility("hidden"))) bool check_tls();

inline bool tls_ready() { return __builtin_expect(g_tls_ready, 1) || check_tls(); }
#else
constexpr bool tls_ready() { return true; }
#endif

}  // namespace fnprof::rt
