// Call trees written as programs: a call has a name, takes time by ticking and calls others. Goes through CallStack into a profile, and
// into the reference model.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "model/call_stack.h"
#include "model/replay.h"
#include "model/statistics.h"
#include "reference_model.h"

namespace fnprof::model::test {

class CallTree {
  public:
    explicit CallTree(HookCost hook = {}) : reference(hook.inner_ps, hook.outer_ps), sink_(hook), stack_(sink_, PathTree::kRoot, true) {}

    void tick(uint64_t ns) { now_ += ns; }

    void call(const std::string& name, const std::function<void()>& body = [] {}) {
        enter(name);
        body();
        exit(name);
    }
    void enter(const std::string& name) {
        const FunctionId function = id(name);
        depth_ += 4;
        stack_.record(thread_, format::Kind::kEnter, {.function = function}, kBottom - depth_, now_);
        reference.enter(function, now_);
    }
    void exit(const std::string& name) {
        stack_.record(thread_, format::Kind::kExit, {.function = id(name)}, kBottom - depth_, now_);
        reference.exit(now_);
        depth_ -= 4;
    }

    FunctionId id(const std::string& name) {
        const auto [entry, added] = ids_.try_emplace(name, static_cast<FunctionId>(names_.size()));
        if (added) names_.push_back(name);
        return entry->second;
    }

    // After the last call. Functions lie at offset 16 x their number in one module.
    Profile profile() {
        stack_.end_thread(thread_, now_, false);
        stack_.end_process();
        sink_.finish();
        Profile result;
        result.modules.push_back({"/bin/tree", {1, 2, 3}});
        for (const std::string& name : names_) result.functions.push_back({0, 16 * uint64_t{id(name)}, name});
        derive_statistics(sink_, result);
        return result;
    }

    const ThreadStack& thread() const { return thread_; }

    ReferenceModel reference;

  private:
    static constexpr uint32_t kBottom = 4000000000;

    TreeSink sink_;
    CallStack<TreeSink> stack_;
    ThreadStack thread_;
    std::map<std::string, FunctionId> ids_;
    std::vector<std::string> names_;
    uint32_t depth_ = 0;
    uint64_t now_ = 42000;
};

inline const Edge* find_edge(const Profile& profile, FunctionId caller, FunctionId callee) {
    for (const Edge& edge : profile.edges) {
        if (edge.caller == caller && edge.callee == callee) return &edge;
    }
    return nullptr;
}

}  // namespace fnprof::model::test
