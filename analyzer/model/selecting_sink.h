// What CallStack tells of one process, less what a CallSelection leaves out; and how much that is.
//
// A path of CallStack's is here a node of the tree and what is special about the call. Every call has a node, also one that is left out: it
// may make calls that are not. Nodes without calls and time are dropped at the end (select_paths.h).
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>

#include "model/activity.h"
#include "model/call_selection.h"
#include "model/call_stack.h"
#include "model/tree_sink.h"

namespace fnprof::model {

class SelectingSink {
  public:
    SelectingSink(HookCost hook, bool by_call_site, CallSelection selection) : selection_(std::move(selection)), tree_(hook, by_call_site) {}

    PathId enter(const Frame& caller, const CallSymbol& call, uint32_t stack, const ThreadStack& thread);
    PathId inherit(PathId parent, FunctionId function, const ThreadStack& thread);
    void pass(PathId path, uint64_t ns);
    uint64_t clip(uint64_t ns) const { return std::clamp(ns, selection_.from_ns, selection_.until_ns); }
    void busy(const ThreadStack& thread, uint64_t from_ns, uint64_t to_ns);
    std::optional<Folded> leave(const Frame& frame, const Activation& activation, const Folded& inside);
    void fold(PathId path, const Folded& folded);

    void finish() { tree_.finish(); }

    const TreeSink& tree() const { return tree_; }
    const CallSelection& selection() const { return selection_; }

    struct ThreadShare {
        bool taken = true;
        uint64_t ncalls = 0;  // made in the range
        Activity activity = {};
    };
    const ThreadShare& thread(uint32_t serial) { return share(serial); }

    // What there is, and what is left of it by range, then by thread, then after folding.
    struct Weights {
        Weight all;
        Weight in_range;
        Weight in_threads;
        Weight shown;
        Weight folded;
    };
    Weights weights() const;

  private:
    static constexpr PathId kFolded = 1u << 31;     // deeper than wanted: the node is that of the call it is folded into
    static constexpr PathId kElsewhere = 1u << 30;  // made by a thread that is not taken
    static constexpr PathId kBefore = 1u << 29;     // made outside the range
    static constexpr PathId kNode = kBefore - 1;

    ThreadShare& share(uint32_t serial);
    Weight made(PathId parent) const;
    std::optional<Folded> folded(bool counts, const Activation& activation, const Folded& inside);
    Weight weight(const Folded& folded) const;
    PathId checked(PathId node, PathId above);

    CallSelection selection_;
    TreeSink tree_;
    std::map<uint32_t, ThreadShare> threads_;
    uint32_t last_serial_ = kNone;
    ThreadShare* last_share_ = nullptr;
    std::vector<uint32_t> depths_{0};  // by node
    Weight all_;
    Weight in_range_;
    Weight elsewhere_;         // in the range
    Weight folded_;
    Weight without_caller_;    // of those, in nobody's time
};

}  // namespace fnprof::model
