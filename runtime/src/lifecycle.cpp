#include "lifecycle.h"

#include "arch/x86_64.h"
#include "binding_check.h"
#include "bytes.h"
#include "calibrate.h"
#include "clock.h"
#include "coder.h"
#include "collector.h"
#include "control.h"
#include "diag.h"
#include "fork_watch.h"
#include "identity.h"
#include "live_file.h"
#include "lock.h"
#include "memory.h"
#include "metadata.h"
#include "ring.h"
#include "same_run.h"
#include "sink.h"
#include "sys.h"
#include "thread_facts.h"
#include <atomic>

namespace fnprof::rt {

namespace {

enum class Phase : uint32_t { kNew, kStarting, kOn, kOff, kEnded };

// pid << 32 | Phase, of the process that started.
std::atomic<uint64_t> g_state{0};
// Points to a word that the child of any fork reads as 0: whether this memory is that of the process that started, or a copy. The
// process id does not tell: it comes again (also at once, in another pid namespace), and a vfork child has another one.
std::atomic<uint32_t*> g_here{nullptr};
std::atomic<int> g_starting_thread{0};

Settings g_settings;
ProcessIdentity g_identity;  // in a forked child, until it has started anew: the parent's
bool g_settings_read;
int g_first_pid;  // of the process that loaded the library; its forked children have others

// The start needs more stack than a hook may take from its thread. Used by the one thread that got the state to "starting".
alignas(64) uint8_t g_start_stack[128 * 1024];
// The end has its own: a thread may be in its first hook while another one ends the process.
alignas(64) uint8_t g_end_stack[128 * 1024];

Phase phase_of(uint64_t state) { return static_cast<Phase>(state & 0xffffffff); }
uint64_t pid_of(uint64_t state) { return state >> 32; }
uint64_t make_state(uint64_t pid, Phase phase) { return pid << 32 | static_cast<uint32_t>(phase); }
uint64_t own_pid() { return static_cast<uint64_t>(sys::getpid()); }

void come_here() {
    uint32_t* here = g_here.load(std::memory_order_relaxed);
    if (here == nullptr) {
        here = static_cast<uint32_t*>(map_pages(format::kPageBytes));
        if (here == nullptr) return;
        if (sys::failed(sys::madvise(here, format::kPageBytes, sys::kMadvWipeOnFork))) {
            sys::munmap(here, format::kPageBytes);
            return;
        }
        g_here.store(here, std::memory_order_release);
    }
    __atomic_store_n(here, 1, __ATOMIC_RELEASE);
}

// Whether `state` is this process's, and not what a fork copied. While somebody starts there may be no word yet.
bool is_mine(uint64_t state) {
    const uint32_t* here = g_here.load(std::memory_order_acquire);
    if (here == nullptr || phase_of(state) == Phase::kStarting) return pid_of(state) == own_pid();
    return __atomic_load_n(here, __ATOMIC_ACQUIRE) != 0;
}

// Everything that belongs to the parent, or whose holder may not exist in this process.
void forget_everything() {
    forget_threads();
    forget_collector();
    forget_coders();
    forget_sink();
    forget_live_file();
    forget_metadata();
}

// Where the parent's records end that this child has in common with it. Everything of the parent's is still here, but the
// control page of the thread that forked, which was wiped.
void describe_fork(format::ProcessItem& fork) {
    const Control* control = own_control();
    if (control == nullptr || control == &g_mute || control->ring != nullptr) return;
    fork.fork_parent_pid = g_identity.pid;
    fork.fork_parent_start = g_identity.process_start;
    fork.fork_parent_thread = ring_of(*control).thread.serial;
    fork.fork_ticks = fork_ticks();
}

void know_settings() {
    if (!g_settings_read) read_settings(g_settings);
    g_settings_read = true;
}

struct Start {
    bool forked;
    bool counter_forbidden;
    bool on;
};

void start(void* argument) {
    auto* task = static_cast<Start*>(argument);
    come_here();
    format::ProcessItem fork{};
    const bool parent_counts_ns = clock_counts_ns();
    if (g_first_pid == 0) note_beginning();  // somebody's constructor came before ours
    if (task->forked) {
        describe_fork(fork);
        forget_everything();
    }
    know_settings();
    if (!g_settings.enabled) return;
    choose_clock(g_settings.clock, task->counter_forbidden);
    if (task->forked && clock_counts_ns() != parent_counts_ns) fork.flags |= format::kForkByOtherClock;
    ClockAccess access(task->counter_forbidden);
    if (!clock_counts_ns()) begin_counter_estimates();
    read_identity(g_identity);
    if (own_pid() == static_cast<uint64_t>(g_first_pid)) g_identity.parent_pid = first_parent();
    if (!open_sink(g_identity, task->forked)) return;
    start_live_file(sink_output(), g_identity);
    reserve_coder();
    write_first_block(g_identity, fork);
    if (g_settings.verbose >= 1) {
        DiagLine line;
        line.add("recording to ").add(sink_output().path);
        if (clock_counts_ns()) line.add(", by CLOCK_MONOTONIC: a system call for each record");
        line.write();
    }
    if (g_settings.verbose >= 2 && !live_file_on())
        DiagLine().add("there is no live file: what is not in the trace yet dies with the process").write();
    task->on = true;
}

}  // namespace

const Settings& settings() { return g_settings; }

std::atomic<bool> g_switched_off{false};

bool recording() {
    const uint64_t state = g_state.load(std::memory_order_acquire);
    return phase_of(state) == Phase::kOn && is_mine(state);
}

bool ended() { return phase_of(g_state.load(std::memory_order_acquire)) == Phase::kEnded; }

bool is_forked_copy() {
    const uint64_t state = g_state.load(std::memory_order_acquire);
    return phase_of(state) != Phase::kNew && !is_mine(state);
}

bool in_vfork_child() {
    const uint64_t state = g_state.load(std::memory_order_acquire);
    const uint64_t pid = phase_of(state) != Phase::kNew ? pid_of(state) : static_cast<uint64_t>(g_first_pid);
    return pid != 0 && pid != own_pid() && is_mine(state);
}

bool ensure_started(bool counter_forbidden) {
    const uint64_t pid = own_pid();
    for (;;) {
        uint64_t state = g_state.load(std::memory_order_acquire);
        bool mine = is_mine(state);
        Phase phase = phase_of(state);
        if (phase == Phase::kOff) return false;
        // Not in the parent's place and under the child's name.
        if (phase == Phase::kNew && in_vfork_child()) return false;
        if (mine && (phase == Phase::kOn || phase == Phase::kEnded)) return true;
        if (mine && phase == Phase::kStarting) {
            // Called from within the start itself: something that it uses is instrumented after all.
            if (g_starting_thread.load(std::memory_order_relaxed) == sys::gettid()) return false;
            sys::sleep_ns(100'000);
            continue;
        }
        if (!g_state.compare_exchange_strong(state, make_state(pid, Phase::kStarting), std::memory_order_acq_rel)) continue;
        g_starting_thread.store(sys::gettid(), std::memory_order_relaxed);
        Start task{phase != Phase::kNew, counter_forbidden, false};
        arch::call_on_stack(g_start_stack + sizeof g_start_stack, start, &task);
        g_switched_off.store(!task.on, std::memory_order_relaxed);
        g_state.store(make_state(pid, task.on ? Phase::kOn : Phase::kOff), std::memory_order_release);
        g_starting_thread.store(0, std::memory_order_relaxed);
        return task.on;
    }
}

namespace {

// Waits for threads that are inside the hook with a slot of their own: the running ones commit within some 50 us, one that the
// scheduler has taken off the processor there when it gets it back. What a handler jumped away from is waited for in vain.
void let_hooks_commit(Ring* first) {
    constexpr uint64_t kHookNs = 50'000;
    constexpr uint64_t kPatienceNs = 100'000'000;
    const uint64_t until = sys::clock_ns(sys::kClockMonotonic) + kPatienceNs;
    const int own = sys::gettid();
    bool any = true;
    while (any) {
        sys::sleep_ns(kHookNs);
        any = false;
        if (sys::clock_ns(sys::kClockMonotonic) >= until) return;
        for (Ring* ring = first; ring != nullptr && !any; ring = ring->next)
            any = ring->thread.tid != own && may_commit_yet(*ring) && !is_dead(ring->thread);
    }
}

// Takes over from the threads: whoever comes to its slow path from now on finds `ended`. False: some chunks could not be coded.
bool close_rings() {
    Ring* first = first_ring();
    for (Ring* ring = first; ring != nullptr; ring = ring->next) {
        Guard guard(ring->switch_lock);
        __atomic_store_n(&ring->control->limit, 0, __ATOMIC_SEQ_CST);
    }
    if (first != nullptr && (first->next != nullptr || first->thread.tid != sys::gettid())) let_hooks_commit(first);
    for (Ring* ring = first; ring != nullptr; ring = ring->next) {
        Guard guard(ring->switch_lock);
        // What a living thread is in goes on to the end of the process, however long ago its last record was.
        const bool dead = is_dead(ring->thread);
        if (!dead) refresh_name(ring->thread);
        note_thread(*ring, dead ? newest_ticks(*ring) : 0);
        publish_chunk(*ring, Publisher::kOther);
    }
    for (Ring* ring = first_ring(); ring != nullptr; ring = ring->next) {
        for (;;) {
            CodeOutcome outcome = code_block(*ring, CodeMode::kNow);
            if (outcome == CodeOutcome::kFailed) return false;
            if (outcome == CodeOutcome::kNothing) break;
            if (outcome == CodeOutcome::kBusy) sys::sleep_ns(50'000);
        }
        give_up_unstored(*ring);
    }
    return true;
}

void say_totals() {
    SinkTotals totals = sink_totals();
    DiagLine line;
    line.add_decimal(totals.records).add(" records of ").add_decimal(thread_count()).add(" threads in ").add_decimal(totals.bytes).add(" bytes");
    if (totals.lost != 0) line.add("; ").add_decimal(totals.lost).add(" records could not be written");
    line.write();
}

void finish(void*) {
    const uint64_t pid = own_pid();
    const bool first_process = static_cast<int>(pid) == g_first_pid;
    uint64_t state = g_state.load(std::memory_order_acquire);
    if (phase_of(state) == Phase::kNew) {
        // No hook was ever called: is that because the instrumented modules call other ones?
        if (!first_process) return;
        know_settings();
        if (g_settings.enabled) check_bindings();
        return;
    }
    // A child of fork or vfork that made no record of its own finds its parent's state here and leaves it alone.
    if (phase_of(state) != Phase::kOn || !is_mine(state) || pid_of(state) != pid) return;
    // Without a clock there is no end; the live file stands.
    ClockAccess access(counter_is_forbidden());
    if (!access.granted()) return;
    if (!g_state.compare_exchange_strong(state, make_state(pid, Phase::kEnded), std::memory_order_seq_cst)) return;
    const uint64_t end_ticks = clock_ticks();
    const bool all_coded = close_rings();
    stop_collector();
    tell_of_failure();
    write_last_block(end_ticks);
    append_seek_table();
    stamp_sink();
    // What is not in the trace is still in there.
    if (all_coded && !sink_broken()) remove_live_file(sink_output());
    if (g_settings.verbose >= 1) say_totals();
    if (first_process) check_bindings();
}

__attribute__((constructor(101))) void beginning_of_process() {
    g_first_pid = sys::getpid();
    note_beginning();
    come_here();
    remember_stderr();
}

// The last thing that runs in a program whose destructors run: priority 101 puts it behind all of a static program's own,
// and a shared library's come after the program's.
__attribute__((destructor(101))) void end_of_process() {
    SignalsBlocked blocked;
    arch::call_on_stack(g_end_stack + sizeof g_end_stack, finish, nullptr);
}

}  // namespace
}  // namespace fnprof::rt
