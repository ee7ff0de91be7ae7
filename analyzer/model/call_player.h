// A process's CallStack and the sink that it tells its calls to: one kind of sink for whole profiles, another where only part of the
// calls is wanted. Which one it is costs one indirect call a block.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "model/call_selection.h"
#include "model/call_stack.h"
#include "model/selecting_sink.h"
#include "model/tree_sink.h"

namespace fnprof::model {

class CallPlayer {
  public:
    virtual ~CallPlayer() = default;

    // All as in CallStack.
    virtual size_t run(ThreadStack& thread, std::span<const CallSymbol> symbols, std::span<const format::Event> events) = 0;
    virtual std::vector<InheritedRegion> bequeath(const ThreadStack& thread) const = 0;
    virtual void inherit(ThreadStack& thread, std::span<const InheritedRegion> regions, uint64_t ns) = 0;
    virtual void end_thread(ThreadStack& thread, uint64_t ns, bool exited) = 0;
    virtual void end_process() = 0;
    virtual const CallStackCounts& counts() const = 0;

    virtual const TreeSink& tree() const = 0;
    // Null: all calls are taken.
    virtual SelectingSink* selected() = 0;
};

struct StackQuestions {
    std::function<bool(uint64_t call_site)> is_morestack = {};
    std::function<FunctionId(uint64_t call_site)> split_off_from = {};
};

// `by_call_site`: paths are told apart by where their calls come from. Without a selection everything is taken.
std::unique_ptr<CallPlayer> make_player(bool marks_on, HookCost hook, StackQuestions questions = {}, bool by_call_site = false,
                                        const CallSelection* selection = nullptr);

}  // namespace fnprof::model
