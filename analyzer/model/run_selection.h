// Which part of a run a profile is of, as the user said it; call_selection.h says what that means for one process's calls.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <string>

#include "model/profile.h"

namespace fnprof::model {

struct RunSelection {
    // Nanoseconds since the run's start: that of the earliest process on the same host since it was booted. Or of the monotonic clock.
    uint64_t from_ns = 0;
    uint64_t until_ns = ~uint64_t{0};
    bool by_monotonic_clock = false;
    // Of the process the pid and the program are known, of the thread its serial, tid and name. Empty: takes all.
    std::function<bool(const Process& process)> takes_process = {};
    std::function<bool(const Thread& thread)> takes_thread = {};
    uint32_t most_depth = std::numeric_limits<uint32_t>::max();
    uint64_t least_ns = 0;
    bool activity = false;  // threads get their strips

    // What the reductions are called.
    std::string range_words = {};
    std::string range_note = {};
    std::string thread_words = {};
    std::string fold_words = {};

    bool has_range() const { return from_ns != 0 || until_ns != ~uint64_t{0}; }
    bool has_threads() const { return takes_process || takes_thread; }
    bool folds() const { return least_ns > 0 || most_depth != std::numeric_limits<uint32_t>::max(); }
    bool reduces() const { return has_range() || has_threads() || folds(); }
};

}  // namespace fnprof::model
