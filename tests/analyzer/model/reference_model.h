// A profiler that anybody can check by reading: for each call it looks at the whole stack. Statistics have to agree with it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "model/profile.h"

namespace fnprof::model::test {

class ReferenceModel {
  public:
    struct Figures {
        uint64_t ncalls = 0;
        uint64_t primitive_calls = 0;
        uint64_t self_ns = 0;
        uint64_t cumulative_ns = 0;
        uint64_t self_hook_ps = 0;
        uint64_t cumulative_hook_ps = 0;
        std::vector<uint64_t> durations;  // net, of every call
        uint64_t first_entered_ns = ~uint64_t{0};
        uint64_t first_ns = 0;  // duration of the call that was entered first; of several at that time, of the longest
    };
    using Edge = std::pair<FunctionId, FunctionId>;

    ReferenceModel(uint64_t inner_ps, uint64_t outer_ps) : inner_ps_(inner_ps), outer_ps_(outer_ps) {}

    void enter(FunctionId function, uint64_t ns) {
        const FunctionId caller = stack_.empty() ? kNone : stack_.back().edge.second;
        Activation call{.edge = {caller, function}, .entered_ns = ns};
        for (const Activation& active : stack_) {
            call.nested |= active.edge.second == function;
            call.edge_nested |= active.edge == call.edge;
        }
        if (!stack_.empty()) ++stack_.back().children;
        for (Activation& active : stack_) ++active.descendants;
        stack_.push_back(call);
    }

    void exit(uint64_t ns) {
        const Activation call = stack_.back();
        stack_.pop_back();
        const uint64_t whole = ns - call.entered_ns;
        if (!stack_.empty()) stack_.back().children_ns += whole;
        add(functions[call.edge.second], call, whole, call.nested);
        add(edges[call.edge], call, whole, call.edge_nested);
    }

    std::map<FunctionId, Figures> functions;
    std::map<Edge, Figures> edges;

  private:
    struct Activation {
        Edge edge;
        uint64_t entered_ns = 0;
        uint64_t children_ns = 0;
        uint64_t children = 0;
        uint64_t descendants = 0;
        bool nested = false;       // the function is active already
        bool edge_nested = false;  // the same function called by the same function is
    };

    void add(Figures& figures, const Activation& call, uint64_t whole, bool nested) const {
        ++figures.ncalls;
        figures.self_ns += whole - call.children_ns;
        figures.self_hook_ps += inner_ps_ + outer_ps_ * call.children;
        const uint64_t hooks_ps = (inner_ps_ + outer_ps_) * call.descendants + inner_ps_;
        const uint64_t net_ns = whole * 1000 <= hooks_ps ? 0 : (whole * 1000 - hooks_ps + 500) / 1000;
        figures.durations.push_back(net_ns);
        if (call.entered_ns < figures.first_entered_ns || (call.entered_ns == figures.first_entered_ns && net_ns > figures.first_ns)) {
            figures.first_entered_ns = call.entered_ns;
            figures.first_ns = net_ns;
        }
        if (nested) return;
        ++figures.primitive_calls;
        figures.cumulative_ns += whole;
        figures.cumulative_hook_ps += (inner_ps_ + outer_ps_) * call.descendants + inner_ps_;
    }

    uint64_t inner_ps_;
    uint64_t outer_ps_;
    std::vector<Activation> stack_;
};

}  // namespace fnprof::model::test
