#include "counter_estimate.h"

#include "arch/x86_64.h"
#include "sys.h"

namespace fnprof::rt {

namespace {

constexpr int kClockMonotonicRaw = 4;
// Below 2^28 ns, so that ns times ticks per nanosecond fits into 64 bits up to 16 GHz.
constexpr uint64_t kFarthestNs = 250'000'000;

struct Reading {
    uint64_t ticks, ns;
};
Reading g_first;

// Both clocks as closely together as can be.
Reading read_both() {
    Reading best{};
    uint64_t best_width = ~uint64_t{0};
    for (int i = 0; i < 5; i++) {
        const uint64_t before = arch::read_clock();
        const uint64_t ns = sys::clock_ns(kClockMonotonicRaw);
        const uint64_t width = arch::read_clock() - before;
        if (width >= best_width) continue;
        best_width = width;
        best = {before + width / 2, ns};
    }
    return best;
}

}  // namespace

void begin_counter_estimates() { g_first = read_both(); }

void CounterEstimate::anchor() {
    const Reading now = read_both();
    uint64_t ticks = now.ticks - g_first.ticks, ns = now.ns - g_first.ns;
    const uint64_t baseline_ns = ns;
    for (; ticks >> 32 != 0; ticks >>= 1) ns >>= 1;
    __atomic_store_n(&version_, version_ + 1, __ATOMIC_RELEASE);
    ticks_ = now.ticks;
    raw_ns_ = now.ns;
    ticks_per_ns_ = ns != 0 ? (ticks << 32) / ns : 0;
    until_ns_ = ns != 0 ? now.ns + (baseline_ns < kFarthestNs ? baseline_ns : kFarthestNs) : 0;
}

bool CounterEstimate::read(uint64_t& ticks) const {
    const uint32_t version = __atomic_load_n(&version_, __ATOMIC_ACQUIRE);
    const uint64_t now = sys::clock_ns(kClockMonotonicRaw);
    const uint64_t until = until_ns_;
    ticks = ticks_ + ((now - raw_ns_) * ticks_per_ns_ >> 32);
    // Handlers run in this thread: the compiler's order is the only one that matters.
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    return now < until && __atomic_load_n(&version_, __ATOMIC_RELAXED) == version;
}

}  // namespace fnprof::rt
