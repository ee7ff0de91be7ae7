// The CallPlayer of one kind of sink.
//
// Each kind is instantiated in a file of its own: two in one file share the compiler's budget for inlining, and what is done at each event is then
// no longer inlined (measured: 24% more time an event, stack and statistics).
#pragma once

#include <type_traits>
#include <utility>

#include "model/call_player.h"

namespace fnprof::model {

template <class Sink>
class PlayerInto final : public CallPlayer {
  public:
    template <class... Arguments>
    PlayerInto(bool marks_on, StackQuestions questions, Arguments&&... arguments)
        : sink_(std::forward<Arguments>(arguments)...),
          calls_(sink_, PathTree::kRoot, marks_on, std::move(questions.is_morestack), std::move(questions.split_off_from)) {}

    size_t run(ThreadStack& thread, std::span<const CallSymbol> symbols, std::span<const format::Event> events) override {
        return calls_.run(thread, symbols, events);
    }
    std::vector<InheritedRegion> bequeath(const ThreadStack& thread) const override { return calls_.bequeath(thread); }
    void inherit(ThreadStack& thread, std::span<const InheritedRegion> regions, uint64_t ns) override { calls_.inherit(thread, regions, ns); }
    void end_thread(ThreadStack& thread, uint64_t ns, bool exited) override { calls_.end_thread(thread, ns, exited); }
    void end_process() override {
        calls_.end_process();
        sink_.finish();
    }
    const CallStackCounts& counts() const override { return calls_.counts(); }

    const TreeSink& tree() const override {
        if constexpr (std::is_same_v<Sink, TreeSink>) return sink_;
        else return sink_.tree();
    }
    SelectingSink* selected() override {
        if constexpr (std::is_same_v<Sink, SelectingSink>) return &sink_;
        else return nullptr;
    }

  private:
    Sink sink_;
    CallStack<Sink> calls_;
};

std::unique_ptr<CallPlayer> make_whole_player(bool marks_on, HookCost hook, StackQuestions questions, bool by_call_site);
std::unique_ptr<CallPlayer> make_selecting_player(bool marks_on, HookCost hook, StackQuestions questions, bool by_call_site, const CallSelection& selection);

}  // namespace fnprof::model
