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
#include "metadata.h"
#include "ring.h"
#include "sink.h"
#include "sys.h"
#include <atomic>

namespace fnprof::rt {

namespace {

enum class Phase : uint32_t { kNew, kStarting, kOn, kOff, kEnded };

// pid << 32 | Phase: a forked child finds its parent's pid and knows that nothing of it is its own.
std::atomic<uint64_t> g_state{0};
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

// Everything that belongs to the parent, or whose holder may not exist in this process.
void forget_everything() {
    forget_threads();
    forget_collector();
    forget_coders();
    forget_sink();
    forget_live_file();
    forget_clock_pairs();
    forget_metadata();
}

// Where the parent's records end that this child has in common with it. Everything of the parent's is still here, but the
// control page of the thread that forked, which was wiped.
void describe_fork(format::ProcessItem& fork) {
    const Control* control = t_control;
    if (control == nullptr || control->ring != nullptr) return;
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
    bool on;
};

void start(void* argument) {
    auto* task = static_cast<Start*>(argument);
    format::ProcessItem fork{};
    if (task->forked) {
        describe_fork(fork);
        forget_everything();
    }
    know_settings();
    if (!g_settings.enabled) return;
    read_identity(g_identity);
    if (!open_sink(g_identity, task->forked)) return;
    start_live_file(sink_output(), g_identity);
    reserve_coder();
    write_first_block(g_identity, fork);
    if (g_settings.verbose >= 1) DiagLine().add("recording to ").add(sink_output().path).write();
    if (g_settings.verbose >= 2 && !live_file_on())
        DiagLine().add("there is no live file: what is not in the trace yet dies with the process").write();
    task->on = true;
}

}  // namespace

const Settings& settings() { return g_settings; }

bool switched_off() {
    // Sticky, in forked children too: what could not be opened will not be tried again at every call.
    return phase_of(g_state.load(std::memory_order_relaxed)) == Phase::kOff;
}

bool recording() { return g_state.load(std::memory_order_acquire) == make_state(static_cast<uint64_t>(sys::getpid()), Phase::kOn); }

bool ended() { return phase_of(g_state.load(std::memory_order_acquire)) == Phase::kEnded; }

bool ensure_started() {
    uint64_t pid = static_cast<uint64_t>(sys::getpid());
    for (;;) {
        uint64_t state = g_state.load(std::memory_order_acquire);
        bool mine = pid_of(state) == pid;
        Phase phase = phase_of(state);
        if (phase == Phase::kOff) return false;
        if (mine && (phase == Phase::kOn || phase == Phase::kEnded)) return true;
        if (mine && phase == Phase::kStarting) {
            // Called from within the start itself: something that it uses is instrumented after all.
            if (g_starting_thread.load(std::memory_order_relaxed) == sys::gettid()) return false;
            sys::sleep_ns(100'000);
            continue;
        }
        if (!g_state.compare_exchange_strong(state, make_state(pid, Phase::kStarting), std::memory_order_acq_rel)) continue;
        g_starting_thread.store(sys::gettid(), std::memory_order_relaxed);
        Start task{phase != Phase::kNew, false};
        arch::call_on_stack(g_start_stack + sizeof g_start_stack, start, &task);
        g_state.store(make_state(pid, task.on ? Phase::kOn : Phase::kOff), std::memory_order_release);
        g_starting_thread.store(0, std::memory_order_relaxed);
        return task.on;
    }
}

namespace {

// Takes over from the threads: whoever comes to its slow path from now on finds `ended`. False: some chunks could not be coded.
bool close_rings() {
    // A thread inside the hook keeps the slot that it claimed: let the running ones commit. One that the scheduler has
    // taken off the processor there makes its record too late; it counts as made after the end.
    constexpr uint64_t kHookNs = 50'000;
    Ring* first = first_ring();
    for (Ring* ring = first; ring != nullptr; ring = ring->next) {
        Guard guard(ring->switch_lock);
        __atomic_store_n(&ring->control->limit, 0, __ATOMIC_SEQ_CST);
    }
    if (first != nullptr && first->next != nullptr) sys::sleep_ns(kHookNs);
    for (Ring* ring = first; ring != nullptr; ring = ring->next) {
        Guard guard(ring->switch_lock);
        note_thread(*ring, newest_ticks(*ring));
        publish_chunk(*ring, Publisher::kOther);
    }
    for (Ring* ring = first_ring(); ring != nullptr; ring = ring->next) {
        for (;;) {
            CodeOutcome outcome = code_block(*ring, CodeMode::kNow);
            if (outcome == CodeOutcome::kFailed) return false;
            if (outcome == CodeOutcome::kNothing) break;
            if (outcome == CodeOutcome::kBusy) sys::sleep_ns(50'000);
        }
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
    uint64_t pid = static_cast<uint64_t>(sys::getpid());
    uint64_t on = make_state(pid, Phase::kOn);
    const bool first_process = static_cast<int>(pid) == g_first_pid;
    // A forked child that made no record of its own finds its parent's state here and leaves it alone.
    if (!g_state.compare_exchange_strong(on, make_state(pid, Phase::kEnded), std::memory_order_seq_cst)) {
        // No hook was ever called: is that because the instrumented modules call other ones?
        if (phase_of(on) != Phase::kNew || !first_process) return;
        know_settings();
        if (g_settings.enabled) check_bindings();
        return;
    }
    const bool all_coded = close_rings();
    stop_collector();
    write_last_block();
    append_seek_table();
    // What is not in the trace is still in there.
    if (all_coded) remove_live_file(sink_output());
    if (g_settings.verbose >= 1) say_totals();
    if (first_process) check_bindings();
}

__attribute__((constructor(101))) void beginning_of_process() {
    g_first_pid = sys::getpid();
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
