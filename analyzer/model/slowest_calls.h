// Of each function the calls that took longest, and its first: what a full trace can show and sums cannot.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/profile.h"

namespace fnprof::model {

// The order of slowest calls: by falling duration; equal ones by start, then thread. Total enough that the same calls are kept whatever
// order they come in.
bool is_slower(const CallInstance& a, const CallInstance& b);

// Adds one to a list in that order, of at most kSlowestKept.
void keep_slowest(std::vector<CallInstance>& slowest, const CallInstance& call);

// While a trace is read: one process's calls, as they end.
class SlowestCalls {
  public:
    void add(FunctionId function, const CallInstance& call) {
        if (function >= limits_.size()) [[unlikely]] grow(function);
        const Limits& limits = limits_[function];
        if (call.start_ns <= limits.first_ns) [[unlikely]] begin_with(function, call);
        if (call.duration_ns < limits.duration_ns) [[likely]] return;
        if (call.duration_ns > limits.duration_ns || call.start_ns <= limits.start_ns) keep(function, call);
    }

    // Empty for functions without calls.
    std::vector<CallInstance> slowest(FunctionId function) const;
    // The call that began first; null if there is none, or it never ended.
    const CallInstance* first(FunctionId function) const;

  private:
    // What a call has to be to matter, in little memory: shorter calls are not among the slowest, nor are equally long ones that began
    // later.
    struct Limits {
        uint64_t duration_ns = 0;
        uint64_t start_ns = ~uint64_t{0};
        uint64_t first_ns = ~uint64_t{0};  // and it is not the first if it began after this one
    };
    struct Kept {
        CallInstance first;
        std::vector<CallInstance> slowest;
    };

    void grow(FunctionId function);
    void begin_with(FunctionId function, const CallInstance& call);
    void keep(FunctionId function, const CallInstance& call);

    // Both by FunctionId.
    std::vector<Limits> limits_;
    std::vector<Kept> kept_;
};

}  // namespace fnprof::model
