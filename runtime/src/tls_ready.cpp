#include "tls_ready.h"

#if defined(FNPROF_STATIC)
namespace fnprof::rt {

bool g_tls_ready;

bool check_tls() {
    constexpr int kArchGetFs = 0x1003;
    uint64_t thread_pointer = 0;
    sys::call(__NR_arch_prctl, kArchGetFs, sys::ptr(&thread_pointer));
    if (thread_pointer == 0) return false;
    g_tls_ready = true;
    return true;
}

}  // namespace fnprof::rt
#endif
