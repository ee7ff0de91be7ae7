// The wrapped functions, as the shared library exports them. Each records its mark (dlclose: what was unloaded) and goes on to the definition that the caller
// would have had without us. They are ordinary frames with unwind information: the unwinder walks through them.
//
// No version script: references to these carry the versions of libstdc++, libgcc and libc, and an unversioned definition
// serves them all.
#include "lifecycle.h"
#include "mark_bindings.h"
#include "marks.h"
#include "metadata.h"
#include "next_definition.h"

using fnprof::format::Kind;
using fnprof::rt::NextDefinition;
using fnprof::rt::record_mark;

#define FNPROF_EXPORT __attribute__((visibility("default")))
#define FNPROF_CALLER __builtin_return_address(0)
#define FNPROF_SITE reinterpret_cast<uint64_t>(FNPROF_CALLER)
#define FNPROF_STACK reinterpret_cast<uint64_t>(__builtin_dwarf_cfa())

namespace {

// jmp_buf of x86-64 glibc: 8 words; [6] is the stack pointer after the return from setjmp, [7] the address it returns to,
// both mangled (exclusive or with the pointer guard at %fs:0x30, then rotated left by 17).
uint64_t demangle_pointer(uint64_t word) {
    uint64_t guard;
    __asm__("movq %%fs:0x30, %0" : "=r"(guard));
    return (word >> 17 | word << 47) ^ guard;
}

void mark_longjmp(const void* buffer, uint64_t site) {
    auto* words = static_cast<const uint64_t*>(buffer);
    record_mark(Kind::kLongjmp, demangle_pointer(words[7]), site, demangle_pointer(words[6]));
}

NextDefinition g_cxa_throw{"__cxa_throw"};
NextDefinition g_cxa_rethrow{"__cxa_rethrow"};
NextDefinition g_unwind_raise{"_Unwind_RaiseException"};
NextDefinition g_cxa_begin_catch{"__cxa_begin_catch"};
NextDefinition g_longjmp{"longjmp"};
NextDefinition g_underscore_longjmp{"_longjmp"};
NextDefinition g_siglongjmp{"siglongjmp"};
NextDefinition g_longjmp_chk{"__longjmp_chk"};
NextDefinition g_pthread_exit{"pthread_exit"};
NextDefinition g_dlclose{"dlclose"};

// Those that programs call in signal handlers, where the loader must not be asked.
__attribute__((constructor(101))) void resolve_early() {
    NextDefinition* const early[] = {&g_longjmp, &g_underscore_longjmp, &g_siglongjmp, &g_longjmp_chk};
    for (NextDefinition* next : early) next->resolve(nullptr);
    fnprof::rt::look_at_search_order();
}

}  // namespace

extern "C" {

[[noreturn]] FNPROF_EXPORT void __cxa_throw(void* object, void* type, void (*destructor)(void*)) {
    record_mark(Kind::kThrow, 0, FNPROF_SITE, FNPROF_STACK);
    g_cxa_throw.get<void(void*, void*, void (*)(void*))>(FNPROF_CALLER)(object, type, destructor);
    __builtin_unreachable();
}

[[noreturn]] FNPROF_EXPORT void __cxa_rethrow() {
    record_mark(Kind::kThrow, 0, FNPROF_SITE, FNPROF_STACK);
    g_cxa_rethrow.get<void()>(FNPROF_CALLER)();
    __builtin_unreachable();
}

// Returns only when no handler was found.
FNPROF_EXPORT int _Unwind_RaiseException(void* exception) {
    record_mark(Kind::kThrow, 0, FNPROF_SITE, FNPROF_STACK);
    return g_unwind_raise.get<int(void*)>(FNPROF_CALLER)(exception);
}

FNPROF_EXPORT void* __cxa_begin_catch(void* exception) {
    record_mark(Kind::kCatch, 0, FNPROF_SITE, FNPROF_STACK);
    return g_cxa_begin_catch.get<void*(void*)>(FNPROF_CALLER)(exception);
}

#define FNPROF_LONGJMP(name, next)                                  \
    [[noreturn]] FNPROF_EXPORT void name(void* buffer, int value) { \
        mark_longjmp(buffer, FNPROF_SITE);                          \
        next.get<void(void*, int)>(FNPROF_CALLER)(buffer, value);   \
        __builtin_unreachable();                                    \
    }
FNPROF_LONGJMP(longjmp, g_longjmp)
FNPROF_LONGJMP(_longjmp, g_underscore_longjmp)
FNPROF_LONGJMP(siglongjmp, g_siglongjmp)
FNPROF_LONGJMP(__longjmp_chk, g_longjmp_chk)
#undef FNPROF_LONGJMP

[[noreturn]] FNPROF_EXPORT void pthread_exit(void* value) {
    record_mark(Kind::kThrow, 0, FNPROF_SITE, FNPROF_STACK);
    g_pthread_exit.get<void(void*)>(FNPROF_CALLER)(value);
    __builtin_unreachable();
}

// Never dlopen: the loader resolves $ORIGIN by who calls it. dlclose has no such memory of its caller.
FNPROF_EXPORT int dlclose(void* handle) {
    if (fnprof::rt::recording()) fnprof::rt::before_unload();
    int result = g_dlclose.get<int(void*)>(FNPROF_CALLER)(handle);
    if (fnprof::rt::recording()) fnprof::rt::after_unload();
    return result;
}

}  // extern "C"
