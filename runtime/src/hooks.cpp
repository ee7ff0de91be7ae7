// The hooks: what every instrumented function calls when it is entered and left. Everything that costs time is here.
//
// Context: any thread, any moment: before main, in signal handlers, on tiny stacks, before thread-local storage exists in a
// static executable. No calls on the fast path, no locks, no errno, under 100 bytes of stack. What needs more is in
// thread_log.cpp, out of line.
//
// Cost: the clock read (about 9 to 11 ns) hides the rest: one exchange-add, two loads, three stores, a compare.
#include "arch/x86_64.h"
#include "control.h"
#include "thread_log.h"
#include "tls_ready.h"

namespace fnprof::rt {

__thread Control* t_control __attribute__((tls_model("initial-exec")));
__thread Control* t_slow_control __attribute__((tls_model("initial-exec")));

namespace {

// How far ahead of the cursor lines are fetched for writing, to hide their transfer from the collector's cache. Measured: on a
// Zen 3 with a 1 MiB ring 256 bytes hide all of it (34.7 -> 22.9 ns per call); on a server with a mesh of cores 1,024 bytes
// are 8 % better than 256 with a 4 MiB ring, and no different with 1 MiB.
constexpr uint64_t kPrefetchBytes = 1024;

#define FNPROF_UNLIKELY(condition) __builtin_expect(!!(condition), 0)

// Fills all of a slot but the word that commits it.
__attribute__((always_inline)) inline format::Slot* fill(uint64_t claim, uint64_t function, uint64_t site, uint64_t stack) {
    auto* slot = reinterpret_cast<format::Slot*>(claim);
    // stack / 16: bits 0..15 and 16..31 go above the 48 bits of each address.
    slot->function_word = function | stack << 44;
    slot->site_word = site | stack >> 20 << 48;
    arch::prefetch_for_write(claim + kPrefetchBytes);
    return slot;
}

// x86 keeps the order of stores; the release order keeps the compiler from changing it.
__attribute__((always_inline)) inline void commit(format::Slot* slot, format::Kind kind, uint64_t ticks) {
    __atomic_store_n(&slot->time_word, format::make_time_word(ticks, kind), __ATOMIC_RELEASE);
}

}  // namespace
}  // namespace fnprof::rt

using namespace fnprof::rt;
using fnprof::format::Kind;
using fnprof::format::Slot;

extern "C" {

// Claim, fill, read the clock last: what comes before is the caller's time.
__attribute__((visibility("default"))) void fnprof_enter(void* function, void* call_site) {
    auto fn = reinterpret_cast<uint64_t>(function);
    auto site = reinterpret_cast<uint64_t>(call_site);
    auto stack = reinterpret_cast<uint64_t>(__builtin_dwarf_cfa());
    if (FNPROF_UNLIKELY(!tls_ready())) return;
    Control* control = t_control;
    if (FNPROF_UNLIKELY(control == nullptr)) return record_slowly(Kind::kEnter, fn, site, stack, 0);
    uint64_t claim = arch::claim(&control->cursor, sizeof(Slot));
    if (FNPROF_UNLIKELY(!owns(control->limit, claim))) return record_slowly(Kind::kEnter, fn, site, stack, 0);
    Slot* slot = fill(claim, fn, site, stack);
    commit(slot, Kind::kEnter, arch::read_clock());
}

// Read the clock first, then claim and fill: what comes after is the caller's time. But not in a thread without a control page: it may
// be one in which reading the counter is a fault, and where fnprof is switched off it is time for nothing.
__attribute__((visibility("default"))) void fnprof_exit(void* function, void* call_site) {
    auto fn = reinterpret_cast<uint64_t>(function);
    auto site = reinterpret_cast<uint64_t>(call_site);
    auto stack = reinterpret_cast<uint64_t>(__builtin_dwarf_cfa());
    if (FNPROF_UNLIKELY(!tls_ready())) return;
    Control* control = t_control;
    if (FNPROF_UNLIKELY(control == nullptr)) return record_slowly(Kind::kExit, fn, site, stack, 0);
    uint64_t ticks = arch::read_clock();
    uint64_t claim = arch::claim(&control->cursor, sizeof(Slot));
    if (FNPROF_UNLIKELY(!owns(control->limit, claim))) return record_slowly(Kind::kExit, fn, site, stack, ticks);
    commit(fill(claim, fn, site, stack), Kind::kExit, ticks);
}

// The names that compilers emit, for modules that are instrumented but not linked with -lfnprof (LD_PRELOAD).
__attribute__((visibility("default"), alias("fnprof_enter"))) void __cyg_profile_func_enter(void* function, void* call_site);
__attribute__((visibility("default"), alias("fnprof_exit"))) void __cyg_profile_func_exit(void* function, void* call_site);

}  // extern "C"
