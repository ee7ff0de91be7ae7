#include "next_definition.h"

#include "diag.h"
#include "sys.h"
#include <dlfcn.h>

namespace fnprof::rt {

namespace {

const void* own_base() {
    Dl_info own;
    return dladdr(reinterpret_cast<const void*>(&own_base), &own) != 0 ? own.dli_fbase : nullptr;
}

bool is_ours(const void* address) {
    Dl_info where;
    return dladdr(address, &where) != 0 && where.dli_fbase == own_base();
}

void* through_callers_module(const char* name, const void* caller) {
    Dl_info module;
    if (caller == nullptr || dladdr(caller, &module) == 0 || module.dli_fname == nullptr) return nullptr;
    void* handle = dlopen(module.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
    if (handle == nullptr) return nullptr;
    void* found = dlsym(handle, name);
    // Not our own dlclose: it is one of the functions that come here.
    if (auto* close = reinterpret_cast<int (*)(void*)>(dlsym(RTLD_NEXT, "dlclose"))) close(handle);
    return found != nullptr && !is_ours(found) ? found : nullptr;
}

}  // namespace

void* NextDefinition::resolve(const void* caller) {
    void* found = dlsym(RTLD_NEXT, name_);
    if (found == nullptr || is_ours(found)) found = through_callers_module(name_, caller);
    found_.store(found, std::memory_order_release);
    return found;
}

void NextDefinition::die() const {
    DiagLine().add(name_).add(" has no definition but fnprof's: the program must be linked with -lfnprof, not with libfnprof.so.0").write();
    const uint64_t abort = sys::signal_bit(sys::kSigAbrt);
    sys::sigprocmask(sys::kSigUnblock, &abort, nullptr);
    sys::tgkill(sys::getpid(), sys::gettid(), sys::kSigAbrt);
    for (;;) __builtin_trap();
}

const void* first_definition(const char* name) { return dlsym(RTLD_DEFAULT, name); }

}  // namespace fnprof::rt
