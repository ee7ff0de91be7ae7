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
using fnprof::rt::NextDefinitionOfModule;

#define FNPROF_EXPORT extern "C" __attribute__((visibility("default")))
#define FNPROF_INTERPOSE(Next, result, name, parameters, arguments, mark)   \
    namespace {                                                             \
    Next g_next_##name{#name};                                              \
    }                                                                       \
    FNPROF_EXPORT result name parameters {                                  \
        mark;                                                               \
        return g_next_##name.get<result parameters>(FNPROF_CALLER) arguments; \
    }

#define FNPROF_INTERPOSE_CXX(...) FNPROF_INTERPOSE(NextDefinitionOfModule, __VA_ARGS__)
#define FNPROF_INTERPOSE_C(...) FNPROF_INTERPOSE(NextDefinition, __VA_ARGS__)

FNPROF_WRAPPED___cxa_throw(FNPROF_INTERPOSE_CXX)
FNPROF_WRAPPED___cxa_rethrow(FNPROF_INTERPOSE_CXX)
FNPROF_WRAPPED__Unwind_RaiseException(FNPROF_INTERPOSE_CXX)
FNPROF_WRAPPED___cxa_begin_catch(FNPROF_INTERPOSE_CXX)
FNPROF_WRAPPED_longjmp(FNPROF_INTERPOSE_C)
FNPROF_WRAPPED__longjmp(FNPROF_INTERPOSE_C)
FNPROF_WRAPPED_siglongjmp(FNPROF_INTERPOSE_C)
FNPROF_WRAPPED___longjmp_chk(FNPROF_INTERPOSE_C)
FNPROF_WRAPPED_pthread_exit(FNPROF_INTERPOSE_C)
FNPROF_WRAPPED_prctl(FNPROF_INTERPOSE_C)
FNPROF_WRAPPED_unshare(FNPROF_INTERPOSE_C)
FNPROF_WRAPPED_setns(FNPROF_INTERPOSE_C)

namespace {

NextDefinition g_dlclose{"dlclose"};

NextDefinitionOfModule* const kOfModules[] = {&g_next___cxa_throw, &g_next___cxa_rethrow, &g_next__Unwind_RaiseException,
                                              &g_next___cxa_begin_catch};

__attribute__((constructor(101))) void resolve_early() {
    NextDefinition* const same_for_all[] = {&g_next_longjmp,      &g_next__longjmp, &g_next_siglongjmp, &g_next___longjmp_chk,
                                            &g_next_pthread_exit, &g_next_prctl,    &g_next_unshare,    &g_next_setns,
                                            &g_dlclose};
    for (NextDefinition* next : same_for_all) next->resolve();
    for (NextDefinitionOfModule* next : kOfModules) next->resolve();
    fnprof::rt::look_at_search_order();
}

}  // namespace

// Called by the modules linked with -lfnprof (runtime/link/fnprof_link.S) when they come and when they go. `inside`: an address in
// the module.
FNPROF_EXPORT void fnprof_modules_change(const void* inside) {
    if (fnprof::rt::came_with_program(inside)) return;
    for (NextDefinitionOfModule* next : kOfModules) next->forget();
    if (fnprof::rt::recording()) fnprof::rt::note_module(reinterpret_cast<uint64_t>(inside));
}

// Never dlopen: the loader resolves $ORIGIN by who calls it. dlclose has no such memory of its caller.
FNPROF_EXPORT int dlclose(void* handle) {
    if (fnprof::rt::recording()) fnprof::rt::before_unload();
    int result = g_dlclose.get<int(void*)>(FNPROF_CALLER)(handle);
    for (NextDefinitionOfModule* next : kOfModules) next->forget();
    if (fnprof::rt::recording()) fnprof::rt::after_unload();
    return result;
}
