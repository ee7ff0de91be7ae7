// The wrapped functions, as the shared library exports them. Each records its mark (dlclose: what was unloaded) and goes on to
// the definition that the caller would have had without us. They are ordinary frames with unwind information: the unwinder walks
// through them.
//
// No version script: references to these carry the versions of libstdc++, libgcc and libc, and an unversioned definition
// serves them all.
#include "lifecycle.h"
#include "mark_bindings.h"
#include "metadata.h"
#include "next_definition.h"
#include "wrapped.h"

using fnprof::rt::NextDefinition;

#define FNPROF_EXPORT extern "C" __attribute__((visibility("default")))
#define FNPROF_INTERPOSE(result, name, parameters, arguments, mark)         \
    namespace {                                                             \
    NextDefinition g_next_##name{#name};                                    \
    }                                                                       \
    FNPROF_EXPORT result name parameters {                                  \
        mark;                                                               \
        return g_next_##name.get<result parameters>(FNPROF_CALLER) arguments; \
    }

FNPROF_WRAPPED___cxa_throw(FNPROF_INTERPOSE)
FNPROF_WRAPPED___cxa_rethrow(FNPROF_INTERPOSE)
FNPROF_WRAPPED__Unwind_RaiseException(FNPROF_INTERPOSE)
FNPROF_WRAPPED___cxa_begin_catch(FNPROF_INTERPOSE)
FNPROF_WRAPPED_longjmp(FNPROF_INTERPOSE)
FNPROF_WRAPPED__longjmp(FNPROF_INTERPOSE)
FNPROF_WRAPPED_siglongjmp(FNPROF_INTERPOSE)
FNPROF_WRAPPED___longjmp_chk(FNPROF_INTERPOSE)
FNPROF_WRAPPED_pthread_exit(FNPROF_INTERPOSE)
FNPROF_WRAPPED_prctl(FNPROF_INTERPOSE)
FNPROF_WRAPPED_unshare(FNPROF_INTERPOSE)
FNPROF_WRAPPED_setns(FNPROF_INTERPOSE)

namespace {

NextDefinition g_dlclose{"dlclose"};

// Those that programs call in signal handlers, where the loader must not be asked.
__attribute__((constructor(101))) void resolve_early() {
    NextDefinition* const early[] = {&g_next_longjmp, &g_next__longjmp, &g_next_siglongjmp, &g_next___longjmp_chk, &g_next_prctl};
    for (NextDefinition* next : early) next->resolve(nullptr);
    fnprof::rt::look_at_search_order();
}

}  // namespace

// Called by the constructor of each module linked with -lfnprof (link/fnprof_link.S), when the loader has just mapped it.
FNPROF_EXPORT void fnprof_module_loaded() {
    if (fnprof::rt::recording()) fnprof::rt::after_load();
}

// Never dlopen: the loader resolves $ORIGIN by who calls it. dlclose has no such memory of its caller.
FNPROF_EXPORT int dlclose(void* handle) {
    if (fnprof::rt::recording()) fnprof::rt::before_unload();
    int result = g_dlclose.get<int(void*)>(FNPROF_CALLER)(handle);
    if (fnprof::rt::recording()) fnprof::rt::after_unload();
    return result;
}
