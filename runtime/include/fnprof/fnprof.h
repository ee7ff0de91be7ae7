/*
 * fnprof: the hooks by name.
 *
 * Programs built with -finstrument-functions and linked with -lfnprof need nothing of this header. It is for tools and
 * language run-times that report calls themselves, from code that no such compiler has seen.
 */
#ifndef FNPROF_FNPROF_H
#define FNPROF_FNPROF_H

#define FNPROF_VERSION_MAJOR 0
#define FNPROF_VERSION_MINOR 1
#define FNPROF_VERSION_PATCH 0

#ifdef __cplusplus
extern "C" {
#endif

/*
 * The function at address `function` begins; `call_site` is the address that it will return to. Safe in any thread at any
 * moment, signal handlers included. Each enter is followed by the exit of the same function from the same stack frame.
 * What the compiler's __cyg_profile_func_enter and __cyg_profile_func_exit are to instrumented code.
 */
void fnprof_enter(void *function, void *call_site);
void fnprof_exit(void *function, void *call_site);

#ifdef __cplusplus
}
#endif

#endif
