// What CallStack tells of one process, summed up: the calling-context tree, how long calls took on each of its paths and on each edge, and
// each function's slowest and first calls.
//
// A call's duration is net of the hooks' cost, which is known of each call from the number of calls inside it. Histograms are kept
// by edge; a function's is the sum of those of its edges, as its and the edges' other figures are sums over paths.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "model/call_sites.h"
#include "model/call_stack.h"
#include "model/histogram_pool.h"
#include "model/path_tree.h"
#include "model/profile.h"
#include "model/slowest_calls.h"

namespace fnprof::model {

// What one call costs beyond the function, in picoseconds.
struct HookCost {
    uint64_t inner_ps = 0;
    uint64_t outer_ps = 0;
};

class TreeSink {
  public:
    // `by_call_site`: paths are told apart by where their calls come from.
    explicit TreeSink(HookCost hook = {}, bool by_call_site = false) : hook_(hook), sites_(by_call_site ? new CallSites : nullptr) {}

    PathId enter(const Frame& caller, const CallSymbol& call, uint32_t stack, const ThreadStack&) {
        if (sites_ != nullptr) [[unlikely]] return enter_at_site(caller, call, stack);
        const PathId path = tree_.child(caller.path, call.function);
        ++tree_[path].ncalls;
        return path;
    }
    PathId inherit(PathId parent, FunctionId function, const ThreadStack&) { return tree_.child(parent, function); }
    void pass(PathId path, uint64_t ns) { tree_[path].self_ns += ns; }
    void leave(const Frame& frame, const Activation& activation) {
        tree_[frame.path].self_ns += activation.self_ns;
        if (activation.ending != Ending::kReturned || frame.inherited) [[unlikely]] {
            if (!count_ending(frame, activation)) return;
        }
        const uint64_t ns = net_ns(activation.duration_ns, frame.descendants);
        tree_.add_duration(frame.path, ns);
        uint32_t& edge = tree_[frame.path].edge;
        if (edge == kNone) [[unlikely]] edge = number_edge(frame.path);
        histograms_.count(edge, ns);
        extremes_.add(frame.function, instance(frame, activation, ns));
    }

    // A call that was entered is none.
    void unmake(PathId path) { --tree_[path].ncalls; }
    // Calls that are a part of the one on `path`: their time, and with it the cost of their hooks.
    void fold(PathId path, const Folded& folded) {
        tree_[path].self_ns += folded.ns;
        if (folded.calls != 0) folded_calls_[path] += folded.calls;
    }

    // After the last call.
    void finish() { histograms_.finish(); }

    HookCost hook() const { return hook_; }
    const PathTree& tree() const { return tree_; }
    const CallSites* call_sites() const { return sites_.get(); }  // null: not asked for
    uint64_t folded_calls(PathId path) const {
        const auto calls = folded_calls_.find(path);
        return calls == folded_calls_.end() ? 0 : calls->second;
    }
    // The histogram of calls of `callee` by `caller`, kNone: by no instrumented function.
    Histogram histogram(FunctionId caller, FunctionId callee) const;
    // Paths are nodes of the tree, threads are serials.
    const SlowestCalls& extremes() const { return extremes_; }

    // Ends that are not returns.
    struct Endings {
        uint64_t open = 0;
        uint64_t unwound = 0;
    };
    // By function; functions beyond the end have no such calls.
    const std::vector<Endings>& endings() const { return endings_; }
    uint64_t open_calls() const { return open_calls_; }

  private:
    uint64_t net_ns(uint64_t duration_ns, uint64_t descendants) const {
        const uint64_t hooks_ps = (hook_.inner_ps + hook_.outer_ps) * descendants + hook_.inner_ps;
        const uint64_t measured_ps = duration_ns * 1000;
        return measured_ps > hooks_ps ? (measured_ps - hooks_ps + 500) / 1000 : 0;
    }
    static CallInstance instance(const Frame& frame, const Activation& activation, uint64_t ns) {
        return {.start_ns = frame.start_ns,
                .duration_ns = ns,
                .elapsed_ns = activation.end_ns - frame.start_ns,
                .path = frame.path,
                .thread = activation.thread,
                .ending = activation.ending};
    }
    PathId enter_at_site(const Frame& caller, const CallSymbol& call, uint32_t stack);
    bool count_ending(const Frame& frame, const Activation& activation);
    uint32_t number_edge(PathId path);

    HookCost hook_;
    PathTree tree_;
    std::unique_ptr<CallSites> sites_;
    std::unordered_map<uint64_t, uint32_t> edges_;  // caller << 32 | callee -> number of the histogram
    HistogramPool histograms_;
    SlowestCalls extremes_;
    std::vector<Endings> endings_;
    uint64_t open_calls_ = 0;
    std::unordered_map<PathId, uint64_t> folded_calls_;
};

}  // namespace fnprof::model
