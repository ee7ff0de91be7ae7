#include "mark_bindings.h"

#include "elf_image.h"

#if defined(FNPROF_STATIC)
// The archive's wrappers, in the program if its link line asks for them (--wrap) and it uses the function.
#define FNPROF_WRAPPER_OF(name) __attribute__((weak, visibility("hidden"))) void wrapper_of_##name() __asm__("__wrap_" #name)
namespace fnprof::rt {
constexpr bool hands_on(uint64_t) { return false; }  // the linker wraps in front of everybody
}  // namespace fnprof::rt
#else
#include "next_definition.h"
#define FNPROF_WRAPPER_OF(name) void wrapper_of_##name() __asm__(#name)
#endif

extern "C" {
FNPROF_WRAPPER_OF(__cxa_begin_catch);
FNPROF_WRAPPER_OF(longjmp);
FNPROF_WRAPPER_OF(__longjmp_chk);
}

namespace fnprof::rt {

namespace {

// In the order of the note's words.
void (*const kWrappers[])() = {wrapper_of___cxa_begin_catch, wrapper_of_longjmp, wrapper_of___longjmp_chk};
constexpr size_t kWrapperCount = sizeof kWrappers / sizeof kWrappers[0];
static_assert(kWrapperCount == kBindingCount);

bool g_first_in_search_order;

bool is_bound_to_us(uint64_t words) {
    const ElfSource memory = ElfSource::memory(0);
    int32_t distances[kWrapperCount];
    if (!memory.read(words, distances, sizeof distances)) return false;
    for (size_t i = 0; i < kWrapperCount; i++) {
        const uint64_t slot = words + i * sizeof distances[0] + static_cast<uint64_t>(int64_t{distances[i]});
        uint64_t bound;
        if (!memory.read(slot, &bound, sizeof bound)) return false;
        if (bound != 0 && bound != reinterpret_cast<uint64_t>(kWrappers[i]) && !hands_on(bound)) return false;
    }
    return true;
}

}  // namespace

bool misses_marks(const Module& module) { return module.bindings != 0 && !is_bound_to_us(module.bindings); }

bool marks_in_place(Modules& modules) {
    bool any = false;
    for (uint32_t i = 0; i < modules.count(); i++) {
        const Module& module = modules.at(i);
        if (module.bindings == 0 || module.unload_ticks != 0) continue;
        any = true;
        if (misses_marks(module)) return false;
    }
    return any || g_first_in_search_order;
}

#if !defined(FNPROF_STATIC)
void look_at_search_order() {
    g_first_in_search_order = is_found_first("__cxa_begin_catch", reinterpret_cast<void*>(wrapper_of___cxa_begin_catch)) &&
                              is_found_first("longjmp", reinterpret_cast<void*>(wrapper_of_longjmp));
}
#endif

}  // namespace fnprof::rt
