#include "model/slowest_calls.h"

#include <algorithm>
#include <tuple>

namespace fnprof::model {

bool is_slower(const CallInstance& a, const CallInstance& b) {
    return std::tie(b.duration_ns, a.start_ns, a.thread, b.elapsed_ns, a.path) < std::tie(a.duration_ns, b.start_ns, b.thread, a.elapsed_ns, b.path);
}

void keep_slowest(std::vector<CallInstance>& slowest, const CallInstance& call) {
    const auto place = std::ranges::upper_bound(slowest, call, is_slower);
    if (place == slowest.end() && slowest.size() == kSlowestKept) return;
    if (slowest.size() == kSlowestKept) {
        std::move_backward(place, slowest.end() - 1, slowest.end());
        *place = call;
    } else {
        slowest.insert(place, call);
    }
}

void SlowestCalls::grow(FunctionId function) {
    limits_.resize(size_t{function} + 1);
    kept_.resize(size_t{function} + 1);
}

// Nested calls of a recursion end before the outer one, and threads come in any order.
void SlowestCalls::begin_with(FunctionId function, const CallInstance& call) {
    Limits& limits = limits_[function];
    CallInstance& first = kept_[function].first;
    if (call.start_ns == limits.first_ns && is_slower(first, call)) return;
    limits.first_ns = call.start_ns;
    first = call;
}

void SlowestCalls::keep(FunctionId function, const CallInstance& call) {
    std::vector<CallInstance>& slowest = kept_[function].slowest;
    keep_slowest(slowest, call);
    if (slowest.size() < kSlowestKept) return;
    limits_[function].duration_ns = slowest.back().duration_ns;
    limits_[function].start_ns = slowest.back().start_ns;
}

std::vector<CallInstance> SlowestCalls::slowest(FunctionId function) const {
    return function < kept_.size() ? kept_[function].slowest : std::vector<CallInstance>();
}

const CallInstance* SlowestCalls::first(FunctionId function) const {
    if (function >= kept_.size() || limits_[function].first_ns == ~uint64_t{0}) return nullptr;
    const CallInstance& first = kept_[function].first;
    return first.ending == Ending::kOpen ? nullptr : &first;
}

}  // namespace fnprof::model
