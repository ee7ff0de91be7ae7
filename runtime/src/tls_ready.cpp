#include "tls_ready.h"

#if defined(FNPROF_STATIC)
namespace fnprof::rt {

bool g_tls_ready;

bool check_tls() {
    if (sys::thread_pointer() == 0) return false;
    g_tls_ready = true;
    return true;
}

}  // namespace fnprof::rt
#endif
