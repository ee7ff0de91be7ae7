#include "collector.h"

#include "arch/x86_64.h"
#include "coder.h"
#include "collector_away.h"
#include "identity.h"
#include "lifecycle.h"
#include "live_file.h"
#include "memory.h"
#include "metadata.h"
#include "own_descriptors.h"
#include "sink.h"
#include "sys.h"
#include <atomic>

namespace fnprof::rt {

namespace {

constexpr size_t kStackBytes = 128 * 1024;
constexpr size_t kTlsBytes = 4096;
// A ring of 16 chunks is filled in about 500 us at full speed, half of it in 250.
// A sleep takes twice its 50 us, too long beside that: while chunks keep coming the collector only yields, some 100 us of it.
constexpr int kYieldPolls = 400;
constexpr uint64_t kPollNs = 50'000;
// After so many polls without work (about 10 ms) it sleeps until it is woken: an idle program has hardly any wake-ups.
constexpr int kIdlePolls = 100;
// It looks whether the program is still there after 10 ms of sleep, 20, 40 and so on, then once a minute: threads that end by the
// raw system call do not end the process while there is another, and nobody would tell the collector.
// Covered by e2e.hazards.the_last_thread_s_end_is_the_process_s.
constexpr uint64_t kFirstLookNs = 10'000'000;
constexpr uint64_t kRarestLookNs = 60'000'000'000;
// Chunks kept ready ahead of each thread.
constexpr uint64_t kChunksAhead = 4;
// How much of the names of threads and of the clock's course a killed run may lack: the last second, or a 64th of a long run (which
// keeps the number of such blocks small).
constexpr uint64_t kInterimNs = 1'000'000'000;
constexpr uint64_t kInterimShare = 64;

enum class State : uint32_t { kNone, kStarting, kRunning, kStopping, kAway, kGone };
std::atomic<State> g_state{State::kNone};
std::atomic<uint32_t> g_bell{0};      // futex: rung to wake the collector
std::atomic<uint32_t> g_sleeping{0};
std::atomic<uint32_t> g_tid{0};       // cleared and woken by the kernel when the thread is gone
uint8_t* g_memory;                    // stack and thread-local storage, mapped once: there is one collector at a time

// Gives the chunks that a thread will open next their disk blocks and pages: a first touch costs it 2 us a page, and write-back
// takes the write permission away again and again.
bool prepare_chunks(Ring& ring) {
    // Not for a thread that may make no more than a few records.
    if (ring.published.load(std::memory_order_relaxed) == 0) return false;
    uint64_t opened = ring.opened.load(std::memory_order_acquire);
    uint64_t coded = ring.coded.load(std::memory_order_relaxed);
    uint64_t until = opened + kChunksAhead < coded + ring.chunk_count ? opened + kChunksAhead : coded + ring.chunk_count;
    uint64_t position = ring.prepared.load(std::memory_order_relaxed);
    if (position < opened) position = opened;
    bool any = false;
    for (; position < until; position++) {
        if (!reserve_chunk(ring, position)) break;
        sys::madvise(&ring.chunk_at(position), format::kChunkBytes, sys::kMadvPopulateWrite);
        ring.prepared.store(position + 1, std::memory_order_release);
        any = true;
    }
    return any;
}

bool due(const Ring& ring) {
    uint64_t published = ring.published.load(std::memory_order_acquire);
    uint64_t waiting = published - ring.coded.load(std::memory_order_relaxed);
    if (published == ring.refused.load(std::memory_order_relaxed)) return false;
    // Without a live file what lies in a ring dies with the process: do not let it lie.
    return waiting >= (ring.in_memory ? 1 : ring.block_chunks());
}

bool any_due() {
    for (Ring* ring = first_ring(); ring != nullptr; ring = ring->next)
        if (due(*ring)) return true;
    return false;
}

bool round() {
    bool worked = false;
    for (Ring* ring = first_ring(); ring != nullptr; ring = ring->next) {
        worked |= prepare_chunks(*ring);
        while (due(*ring) && code_block(*ring, CodeMode::kWhenDue) == CodeOutcome::kCoded) {
            worked = true;
            prepare_chunks(*ring);
        }
    }
    return worked;
}

// False: no other thread is left, and the process ends with `exit_status`.
bool sleep_until_rung(int& exit_status) {
    bool alone = false;
    uint64_t patience_ns = kFirstLookNs;
    uint32_t heard = g_bell.load(std::memory_order_acquire);
    g_sleeping.store(1, std::memory_order_seq_cst);
    // A chunk published before the store above was not rung for: look once more. (Pairs with notify_collector.)
    while (!alone && !any_due() && g_state.load(std::memory_order_acquire) == State::kRunning) {
        const sys::Timespec patience{static_cast<int64_t>(patience_ns / 1'000'000'000), static_cast<int64_t>(patience_ns % 1'000'000'000)};
        if (sys::futex_wait(reinterpret_cast<uint32_t*>(&g_bell), heard, &patience) != -sys::kEtimedout) break;
        alone = is_last_thread(exit_status);
        patience_ns = 2 * patience_ns < kRarestLookNs ? 2 * patience_ns : kRarestLookNs;
    }
    g_sleeping.store(0, std::memory_order_relaxed);
    return !alone;
}

int run(void*) {
    constexpr int kPrSetName = 15;
    sys::prctl(kPrSetName, sys::ptr("fnprof"));
    separate_collector_files();
    const uint64_t start_ns = sys::clock_ns(sys::kClockMonotonic);
    uint64_t next_interim_ns = start_ns;
    int idle = 0;
    int exit_status = 0;
    while (g_state.load(std::memory_order_acquire) == State::kRunning) {
        if (round()) {
            idle = 0;
            uint64_t now = sys::clock_ns(sys::kClockMonotonic);
            if (now >= next_interim_ns) {
                const uint64_t share = (now - start_ns) / kInterimShare;
                next_interim_ns = now + (share > kInterimNs ? share : kInterimNs);
                write_interim_block();
            }
            continue;
        }
        if (++idle < kYieldPolls)
            sys::yield();
        else if (idle < kYieldPolls + kIdlePolls)
            sys::sleep_ns(kPollNs);
        else if (sleep_until_rung(exit_status))
            idle = 0;
        else
            break;
    }
    return exit_status;
}

// clone(2) as the kernel has it: the child starts on its own stack and must not return into this frame.
long clone_thread(uint64_t flags, void* stack_top, uint32_t* tid, void* tls, int (*body)(void*)) {
    long result;
    register uint32_t* r10 __asm__("r10") = tid;
    register void* r8 __asm__("r8") = tls;
    register int (*r9)(void*) __asm__("r9") = body;
    __asm__ volatile(
        "syscall\n\t"
        "testq %%rax, %%rax\n\t"
        "jnz 1f\n\t"
        "xorl %%ebp, %%ebp\n\t"
        "xorl %%edi, %%edi\n\t"
        "callq *%%r9\n\t"
        "movl %%eax, %%edi\n\t"
        "movl %[exit], %%eax\n\t"
        "syscall\n\t"
        "ud2\n"
        "1:"
        : "=a"(result)
        : "a"(__NR_clone), "D"(flags), "S"(stack_top), "d"(tid), "r"(r10), "r"(r8), "r"(r9), [exit] "i"(__NR_exit)
        : "rcx", "r11", "memory");
    return result;
}

void start_collector() {
    State expected = State::kNone;
    if (!g_state.compare_exchange_strong(expected, State::kStarting, std::memory_order_acq_rel)) return;
    if (g_memory == nullptr) g_memory = static_cast<uint8_t*>(map_pages(kStackBytes + kTlsBytes));
    if (g_memory == nullptr) return;  // stays "starting": threads code their own chunks
    auto* tls = reinterpret_cast<uint64_t*>(g_memory + kStackBytes + kTlsBytes / 2);
    tls[0] = reinterpret_cast<uint64_t>(tls);  // x86-64 ABI: the thread pointer points to itself
    constexpr uint64_t kVm = 0x100, kFs = 0x200, kFiles = 0x400, kSighand = 0x800, kThread = 0x10000, kSysvsem = 0x40000,
                       kSettls = 0x80000, kParentSettid = 0x100000, kChildCleartid = 0x200000;
    g_state.store(State::kRunning, std::memory_order_release);
    long tid = clone_thread(kVm | kFs | kFiles | kSighand | kThread | kSysvsem | kSettls | kParentSettid | kChildCleartid, g_memory + kStackBytes,
                            reinterpret_cast<uint32_t*>(&g_tid), tls, run);
    if (sys::failed(tid)) g_state.store(State::kStarting, std::memory_order_release);
}

}  // namespace

void notify_collector(Ring& ring) {
    State state = g_state.load(std::memory_order_acquire);
    if (state == State::kNone && ring.published.load(std::memory_order_relaxed) != 0) {
        // A vfork child would take it along when it goes.
        if (!in_vfork_child()) start_collector();
        return;
    }
    // Pairs with sleep_until_rung: either it sees the chunk, or this sees it sleeping.
    std::atomic_thread_fence(std::memory_order_seq_cst);
    if (g_sleeping.load(std::memory_order_relaxed) == 0 || !due(ring)) return;
    g_sleeping.store(0, std::memory_order_relaxed);
    g_bell.fetch_add(1, std::memory_order_release);
    sys::futex_wake(reinterpret_cast<uint32_t*>(&g_bell), 1);
}

namespace {

// Ends the collector, if there is one; true when this call did.
bool end_collector(State next) {
    State running = State::kRunning;
    const uint32_t tid = g_tid.load(std::memory_order_acquire);
    if (!g_state.compare_exchange_strong(running, State::kStopping, std::memory_order_acq_rel)) return false;
    g_bell.fetch_add(1, std::memory_order_release);
    sys::futex_wake(reinterpret_cast<uint32_t*>(&g_bell), 1);
    const auto is_known = [](uint32_t thread) { return sys::tgkill(sys::getpid(), static_cast<int>(thread), 0) == 0; };
    while (const uint32_t alive = g_tid.load(std::memory_order_acquire)) {
        // CLONE_CHILD_CLEARTID clears and wakes with a shared futex.
        constexpr long kFutexWait = 0;
        constexpr sys::Timespec kSlice{0, 10'000'000};
        if (!is_known(alive)) break;
        sys::call(__NR_futex, sys::ptr(&g_tid), kFutexWait, static_cast<long>(alive), sys::ptr(&kSlice));
    }
    // The kernel counts it among the process's threads for a moment more.
    constexpr int kLooks = 100'000;
    for (int i = 0; i < kLooks && tid != 0 && is_known(tid); i++) sys::yield();
    forget_own_descriptor_table();
    g_state.store(next, std::memory_order_release);
    return true;
}

}  // namespace

void stop_collector() { end_collector(State::kGone); }

void forget_collector() {
    g_state.store(State::kNone, std::memory_order_relaxed);
    g_sleeping.store(0, std::memory_order_relaxed);
    g_tid.store(0, std::memory_order_relaxed);
    forget_own_descriptor_table();
}

}  // namespace fnprof::rt

using namespace fnprof::rt;

bool fnprof_send_collector_away() {
    // A vfork child is a process of its own, and of one thread.
    if (!recording() || in_vfork_child()) return false;
    SignalsBlocked blocked;
    return end_collector(State::kAway);
}

void fnprof_let_collector_return() {
    State away = State::kAway;
    g_state.compare_exchange_strong(away, State::kNone, std::memory_order_acq_rel);
}
