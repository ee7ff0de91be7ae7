#include "thread_log.h"

#include "arch/x86_64.h"
#include "bytes.h"
#include "clock.h"
#include "coder.h"
#include "collector.h"
#include "control.h"
#include "late_area.h"
#include "lifecycle.h"
#include "live_file.h"
#include "metadata.h"
#include "ring.h"
#include "sink.h"
#include "sys.h"
#include "thread_facts.h"
#include "tls_ready.h"

namespace fnprof::rt {

using format::Kind;
using format::Slot;

Control g_mute;

namespace {

struct Record {
    Kind kind;
    uint64_t function;
    uint64_t site;
    uint64_t stack;
    uint64_t ticks;  // 0: the clock is read when the slot is filled
};

// Makes the record if the thread owns a slot.
bool try_record(Control& control, const Record& record) {
    uint64_t claim = arch::claim(&control.cursor, sizeof(Slot));
    if (!owns(__atomic_load_n(&control.limit, __ATOMIC_ACQUIRE), claim)) return false;
    auto* slot = reinterpret_cast<Slot*>(claim);
    uint64_t ticks = record.ticks != 0 ? record.ticks : clock_ticks();
    Slot filled = format::make_slot(record.kind, record.function, record.site, static_cast<uint32_t>(record.stack / format::kStackUnit), ticks);
    slot->function_word = filled.function_word;
    slot->site_word = filled.site_word;
    __atomic_store_n(&slot->time_word, filled.time_word, __ATOMIC_RELEASE);
    return true;
}

// Waits for a free chunk, or the end of the runtime, after which none is needed: codes the ring's own chunks (so that any number
// of threads is lossless with bounded memory), or, while somebody else is at it, sleeps until that one is done. Returns false
// when there will be none.
bool make_room(Ring& ring) {
    constexpr int kYields = 200;  // some 50 us
    constexpr sys::Timespec kSlice{0, 1000000};  // the end of the process wakes nobody
    while (ring.full() && !ended()) {
        switch (code_block(ring, CodeMode::kNow)) {
            case CodeOutcome::kCoded: break;
            case CodeOutcome::kFailed: return false;
            case CodeOutcome::kBusy: {
                // The other one is usually done within a fraction of the time that it takes to sleep and be woken.
                for (int i = 0; i < kYields && ring.full(); i++) sys::yield();
                // The waiter count is raised before the last look; the coder looks at it after it has changed `space`.
                uint32_t seen = ring.space.load(std::memory_order_seq_cst);
                ring.waiting.store(1, std::memory_order_seq_cst);
                if (ring.full()) sys::futex_wait(reinterpret_cast<uint32_t*>(&ring.space), seen, &kSlice);
                ring.waiting.store(0, std::memory_order_relaxed);
                break;
            }
            case CodeOutcome::kNothing: break;
        }
    }
    return true;
}

void lose(Control& control) {
    if (control.lost++ == 0) control.lost_since_ticks = clock_ticks();
    control.ring->total_lost++;
    count_lost_in_live(1);
}

// What a thread does when it owns no slot; on the ring's own stack.
struct Advance {
    Control* control;
    const Record* record;
};

void advance(void* argument) {
    auto* task = static_cast<Advance*>(argument);
    Control& control = *task->control;
    Ring& ring = *control.ring;
    const Record& record = *task->record;
    uint64_t began = clock_ticks();
    uint64_t gap = 0;
    Guard guard(ring.switch_lock);
    if (!ended()) {
        publish_chunk(ring, Publisher::kOwner);
        update_thread_facts(ring.thread);
        notify_collector(ring);
        tell_of_failure();
        keep_module_files();
        if (ring.full() && settings().overflow == Settings::kDrop) return lose(control);
        if (ring.full()) {
            if (!make_room(ring)) return lose(control);
            gap = clock_ticks() - began;
        }
    }
    if (ended()) {
        if (!open_late_area(ring)) return lose(control);
    } else {
        const uint64_t position = ring.opened.load(std::memory_order_relaxed);
        if (!back_chunk(ring, position)) return lose(control);
        // A thread's first chunk is nobody's time: none of its calls is open yet.
        if (touch_chunk(ring, position) && ring.next_number != 0) gap = clock_ticks() - began;
        open_chunk(ring);
    }

    uint64_t lost = control.lost;
    if (lost != 0) {
        gap = clock_ticks() - control.lost_since_ticks;
        control.lost = 0;
    }
    Record gap_record{Kind::kGap, lost, gap < format::kAddressMask ? gap : format::kAddressMask, record.stack, 0};
    // An exit's time was taken before the gap, an enter's is taken after it. Lost records came before both.
    bool gap_first = record.kind != Kind::kExit || lost != 0;
    if (gap != 0 && gap_first) try_record(control, gap_record);
    try_record(control, record);
    if (gap != 0 && !gap_first) try_record(control, gap_record);
}

std::atomic<uint32_t> g_threads{0};

Lock g_registration;
Ring* g_looked_at;  // by find_dead_ring, last

// A ring whose thread is gone. Looks at a few rings per call, round and round, so that the search costs the same however many
// threads live. Requires g_registration.
Ring* find_dead_ring() {
    constexpr int kLooks = 4;
    if (in_vfork_child()) return nullptr;
    for (int i = 0; i < kLooks; i++) {
        g_looked_at = g_looked_at != nullptr && g_looked_at->next != nullptr ? g_looked_at->next : first_ring();
        if (g_looked_at == nullptr || is_dead(g_looked_at->thread)) return g_looked_at;
    }
    return nullptr;
}

// Makes `control` the calling thread's. `forbidden`: it must not read the time stamp counter.
void set_control(Control* control, bool forbidden) {
    const bool slow = forbidden || clock_counts_ns();
    t_control = slow ? nullptr : control;
    t_slow_control = slow ? control : nullptr;
    if (slow && !clock_counts_ns()) note_slow_thread();
}

// Makes the ring that of the calling thread.
void begin_thread(Ring& ring) {
    ring.control->limit = 0;
    ring.control->lost = 0;
    ring.total_lost = 0;
    ring.next_number = 0;
    ring.noted = false;
    ring.thread.serial = g_threads.fetch_add(1, std::memory_order_relaxed) + 1;
    read_thread_facts(ring.thread);
}

// Ends the dead thread that had the ring. False: the process ends, and whoever ends it does that.
bool take_over(Ring& ring) {
    Guard guard(ring.switch_lock);
    if (ended()) return false;
    note_thread(ring, newest_ticks(ring));
    publish_chunk(ring, Publisher::kOther);
    begin_thread(ring);
    return true;
}

Control* register_thread(bool forbidden) {
    if (!ensure_started(forbidden)) return nullptr;
    ClockAccess access(forbidden);
    if (!access.granted()) {
        count_lost_record();
        return nullptr;
    }
    Guard guard(g_registration);
    Ring* ring = ended() ? nullptr : find_dead_ring();
    if (ring == nullptr || !take_over(*ring)) {
        ring = create_ring(settings().ring_chunks);
        if (ring == nullptr) {
            count_mute_thread();
            count_lost_record();
            set_control(&g_mute, forbidden);
            return nullptr;
        }
        begin_thread(*ring);
        add_ring(*ring);
        if (ring->thread.serial == 1) {
            arch::call_on_stack(ring->stack_top, [](void* first) { write_first_thread(*static_cast<Ring*>(first)); }, ring);
        }
    }
    set_control(ring->control, forbidden);
    return ring->control;
}

}  // namespace

uint32_t thread_count() { return g_threads.load(std::memory_order_relaxed); }

void forget_threads() {
    g_threads.store(0, std::memory_order_relaxed);
    g_registration.reset();
    g_looked_at = nullptr;
    forget_rings();
}

namespace {

__attribute__((noinline)) void record_in_ring(Kind kind, uint64_t function, uint64_t site, uint64_t stack, uint64_t ticks) {
    if (own_control() == &g_mute && !is_forked_copy()) return count_lost_record();
    SignalsBlocked blocked;
    Control* control = own_control();  // only now: a handler may have registered the thread
    const bool forbidden = t_control == nullptr && counter_is_forbidden();
    // A wiped control page belongs to the parent of this process.
    if (control == nullptr || control->ring == nullptr) {
        control = register_thread(forbidden);
        if (control == nullptr) return;
    } else if (t_control == nullptr && !forbidden) {
        set_control(control, false);  // the program has allowed it again
    }
    ClockAccess access(forbidden);
    if (!access.granted()) return count_lost_record();
    if (forbidden && !clock_counts_ns()) control->estimate.anchor();
    Record record{kind, function, site, stack, ticks == 0 && kind == Kind::kExit ? clock_ticks() : ticks};
    if (try_record(*control, record)) return;
    Advance task{control, &record};
    arch::call_on_stack(control->ring->stack_top, advance, &task);
}

}  // namespace

// What a thread without the counter takes for the time; 0: it has to be looked at with a ClockAccess. A system call.
uint64_t slow_ticks(const Control& control) {
    if (clock_counts_ns()) return clock_ticks();
    uint64_t ticks;
    return control.estimate.read(ticks) ? ticks : 0;
}

// In a thread without the counter a record that fits into the chunk is made as on the fast path, signals allowed; only its time is
// dearer. It is taken before the slot is claimed, since it may not be had.
void record_slowly(Kind kind, uint64_t function, uint64_t site, uint64_t stack, uint64_t ticks) {
    if (switched_off()) return;
    if (Control* control = t_slow_control; control != nullptr) {
        ticks = slow_ticks(*control);
        if (ticks != 0 && try_record(*control, {kind, function, site, stack, ticks})) return;
    }
    record_in_ring(kind, function, site, stack, kind == Kind::kExit ? ticks : 0);
}

}  // namespace fnprof::rt

using namespace fnprof::rt;

void fnprof_before_prctl(int option, unsigned long value) {
    constexpr int kPrSetTsc = 26;
    constexpr unsigned long kFaults = 2;
    if (option != kPrSetTsc || value != kFaults || !tls_ready() || t_control == nullptr) return;
    // Both at once: no handler may come between them.
    SignalsBlocked blocked;
    t_control->estimate.anchor();
    if (sys::failed(sys::prctl(kPrSetTsc, static_cast<long>(value)))) return;
    set_control(t_control, true);
}
