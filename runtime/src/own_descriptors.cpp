#include "own_descriptors.h"

#include "sys.h"
#include <atomic>

namespace fnprof::rt {

namespace {

std::atomic<int> g_owner{0};  // thread id

}  // namespace

void leave_descriptor_table(int first, int second) {
    constexpr uint32_t kUnshare = 2;
    const int kept_ones[] = {first < second ? first : second, first < second ? second : first};
    uint32_t flags = kUnshare;  // with the first range; the others are closed in the new table
    uint32_t from = 0;
    for (const int kept : kept_ones) {
        if (kept < 0) continue;
        const auto number = static_cast<uint32_t>(kept);
        if (number > from) {
            if (sys::failed(sys::close_range(from, number - 1, flags))) return;
            flags = 0;
        }
        from = number + 1;
    }
    if (sys::failed(sys::close_range(from, ~uint32_t{0}, flags))) return;
    g_owner.store(sys::gettid(), std::memory_order_release);
}

bool in_own_descriptor_table() {
    const int owner = g_owner.load(std::memory_order_acquire);
    return owner != 0 && owner == sys::gettid();
}

void forget_own_descriptor_table() { g_owner.store(0, std::memory_order_release); }

}  // namespace fnprof::rt
