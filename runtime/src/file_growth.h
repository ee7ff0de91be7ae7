// Making files longer. Beyond the limit on file sizes (RLIMIT_FSIZE) the kernel sends SIGXFSZ besides returning an error, and
// its default action ends the program: here the signal stays blocked meanwhile, and what the call itself raised is taken back.
// Covered by e2e.robustness.a_full_disk_costs_only_the_rest_of_the_trace.
//
// Context: init, collector, hook slow path; signal-safe.
#pragma once

#include "sys.h"

namespace fnprof::rt {

// Calls `grow`, which makes one system call and returns its result.
template <typename Call>
long grow_file(Call grow) {
    const uint64_t too_large = sys::signal_bit(sys::kSigXfsz);
    uint64_t old_mask = 0, pending = 0;
    if (sys::failed(sys::sigprocmask(sys::kSigBlock, &too_large, &old_mask))) return -sys::kEfbig;
    sys::sigpending(&pending);
    const long result = grow();
    if (result == -sys::kEfbig && (pending & too_large) == 0) {
        const sys::Timespec at_once{0, 0};
        sys::sigtimedwait(&too_large, &at_once);
    }
    sys::sigprocmask(sys::kSigSetmask, &old_mask, nullptr);
    return result;
}

// Reserves the space too: a store into a hole of a full file system would be a SIGBUS.
inline bool reserve_in_file(int fd, uint64_t offset, uint64_t bytes) {
    return grow_file([=] { return sys::fallocate(fd, offset, bytes); }) == 0;
}

}  // namespace fnprof::rt
