#include "clock.h"

#include "bytes.h"
#include "lock.h"

namespace fnprof::rt {

bool g_clock_counts_ns;

namespace {

constexpr int kPrGetTsc = 25, kPrSetTsc = 26;
constexpr uint32_t kTscEnabled = 1, kTscFaults = 2;

bool set_counter(uint32_t mode) { return !sys::failed(sys::prctl(kPrSetTsc, mode)); }

// The kernel keeps time by the counter itself where it has found it steady. Virtual machines often hide the processor's word for it.
bool kernel_counts_by_it() {
    constexpr const char* kCountedBy[] = {"tsc\n", "kvm-clock\n", "hyperv_clocksource_tsc_page\n"};
    char name[64];
    const long fd = sys::open("/sys/devices/system/clocksource/clocksource0/current_clocksource", sys::kORdonly);
    if (sys::failed(fd)) return false;
    const long length = sys::read(static_cast<int>(fd), name, sizeof name - 1);
    sys::close(static_cast<int>(fd));
    if (length <= 0) return false;
    name[length] = 0;
    for (const char* known : kCountedBy)
        if (equal_text(name, known)) return true;
    return false;
}

}  // namespace

bool counter_is_forbidden() {
    uint32_t mode = kTscEnabled;
    // A kernel that does not know the question forbids nothing.
    return !sys::failed(sys::prctl(kPrGetTsc, sys::ptr(&mode))) && mode == kTscFaults;
}

void choose_clock(Settings::Clock wanted, bool forbidden) {
    switch (wanted) {
        case Settings::kTsc: g_clock_counts_ns = false; break;
        case Settings::kMonotonic: g_clock_counts_ns = true; break;
        case Settings::kFitting: g_clock_counts_ns = forbidden || !(arch::counter_is_invariant() || kernel_counts_by_it()); break;
    }
    // Without the right to read it not even the user's word makes it the clock.
    if (!ClockAccess(forbidden).granted()) g_clock_counts_ns = true;
}

ClockAccess::ClockAccess(bool forbidden)
    : lifted_(forbidden && !clock_counts_ns() && set_counter(kTscEnabled)), granted_(!forbidden || clock_counts_ns() || lifted_) {}

ClockAccess::~ClockAccess() {
    if (lifted_) set_counter(kTscFaults);
}

uint64_t clock_ticks_anywhere() {
    if (clock_counts_ns()) return clock_ticks();
    SignalsBlocked blocked;
    ClockAccess access(counter_is_forbidden());
    return access.granted() ? clock_ticks() : 0;
}

}  // namespace fnprof::rt
