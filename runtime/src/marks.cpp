#include "marks.h"

#include "arch/x86_64.h"
#include "clock.h"
#include "control.h"
#include "thread_log.h"
#include "tls_ready.h"

using namespace fnprof;
using namespace fnprof::rt;
using format::Kind;
using format::Slot;

void fnprof_record_mark(Kind kind, uint64_t function, uint64_t site, uint64_t stack) {
    if (!tls_ready()) return;
    Control* control = t_control;
    if (control == nullptr) {
        if (t_slow_control != nullptr) record_slowly(kind, function, site, stack, 0);
        return;
    }
    uint64_t claim = arch::claim(&control->cursor, sizeof(Slot));
    if (!owns(__atomic_load_n(&control->limit, __ATOMIC_ACQUIRE), claim)) return record_slowly(kind, function, site, stack, 0);
    auto* slot = reinterpret_cast<Slot*>(claim);
    Slot filled = format::make_slot(kind, function, site, static_cast<uint32_t>(stack / format::kStackUnit), clock_ticks());
    slot->function_word = filled.function_word;
    slot->site_word = filled.site_word;
    __atomic_store_n(&slot->time_word, filled.time_word, __ATOMIC_RELEASE);
}
