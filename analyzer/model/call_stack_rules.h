// CallStack's slow half: which frames a record proves dead. See call_stack.h for the why.
#pragma once

#include <algorithm>
#include <utility>

#include "model/call_stack.h"

namespace fnprof::model {

// ---------------------------------------------------------------------------------------------------------------
// Records

template <CallSink Sink>
void CallStack<Sink>::begin(ThreadStack& thread, uint32_t stack, uint64_t ns) {
    // It may begin on a signal stack or a fiber.
    const bool elsewhere = thread.extent.known() && !thread.extent.contains(stack);
    thread.own = std::make_unique<StackRegion>(++region_count_, root_, elsewhere ? thread.extent.high : stack);
    thread.own->losses_seen = losses_;
    thread.current = thread.own.get();
    if (!thread.started) thread.first_ns = ns;
    thread.last_ns = std::max(thread.last_ns, ns);
    thread.started = true;
    thread.own->left_ns = thread.last_ns;
    arrive(thread, *thread.own, {});
    refresh(thread);
}

template <CallSink Sink>
bool CallStack<Sink>::enter_elsewhere(ThreadStack& thread, const CallSymbol& call, uint32_t stack, uint64_t ns) {
    if (thread.current == nullptr) begin(thread, stack, ns);
    const Target target = certainly_here(thread, stack)           ? Target{.region = thread.current}
                          : is_on_own_stack(thread, call, stack) ? own_stack(thread, stack, ns)
                                                                 : region_of_enter(thread, call, stack, ns);
    if (target.wait) return false;
    if (!thread.uncertain) pass(thread, ns);
    const bool arrives = target.region != thread.current;
    if (target.region == nullptr) {
        open_region(thread, stack, target.continues, ns);
    } else if (arrives) {
        go_to(thread, *target.region);
    }
    StackRegion& region = *thread.current;
    // A thread's own stack is not used anew while it runs: there only a call from above its first frame shows that this is gone.
    const bool above = is_below(region.high, stack);
    const bool returns = arrives && thread.visiting != nullptr;
    if ((above || returns) && region.is_restarted_by(call, stack, returns && marks_on_ && !region.abandoned)) {
        close(thread, region, 1, Ending::kProvedDead);
        region.began_ns = ns;
    } else if (CallSymbol cleanup = call; region.is_after_thread(call, stack)) {
        if (split_off_from_) cleanup.site_function = split_off_from_(call.call_site);
        const bool after = region.is_after_thread(cleanup, stack);
        close(thread, region, after ? 1 : region.alive_at_enter(cleanup, stack), after ? Ending::kUnwound : Ending::kProvedDead);
        if (after) region.throws.clear();
    } else if (thread.uncertain || region.top_is_doubtful()) {
        close(thread, region, region.alive_after_loss(call, stack), Ending::kProvedDead);
        prove_caller(thread, region, call, stack);
    } else if (!marks_on_ || region.abandoned || !region.throws.empty()) {
        close(thread, region, region.alive_at_enter(call, stack), Ending::kProvedDead);
    } else if (call.site_function != region.top().function && call.site_function != kNone) {
        close_above_caller(thread, region, call);
    }
    region.abandoned = false;
    thread.uncertain = false;
    if (!region.throws.empty()) region.throws.back().depth = std::min(region.throws.back().depth, region.frames.size());
    push(thread, call, stack, ns);
    cover(thread, stack);
    return true;
}

// A call from a known function that is not the one on top: from one that the top one is inlined into, or the top one is gone.
template <CallSink Sink>
void CallStack<Sink>::close_above_caller(ThreadStack& thread, StackRegion& region, const CallSymbol& call) {
    if (region.calls_from_top(call)) return;
    const size_t alive = region.alive_under(call);
    // clang keeps a coroutine's first return address for good: what is inlined into it seems to be called from there when it is resumed,
    // by whomever. A call that begins there begins with the function that is called.
    if (!call.first_at_site && region.frames[alive - 1].call_site != call.call_site) return;
    // What shares the caller's machine frame is inlined into it.
    if (alive == region.frames.size() || !is_below(region.frames[alive].stack, region.frames[alive - 1].stack)) return;
    close(thread, region, alive, Ending::kProvedDead);
}

template <CallSink Sink>
bool CallStack<Sink>::enter_from_below(ThreadStack& thread, const CallSymbol& call, uint32_t stack, uint64_t ns) {
    pass(thread, ns);
    close_above_caller(thread, *thread.current, call);
    push(thread, call, stack, ns);
    return true;
}

template <CallSink Sink>
bool CallStack<Sink>::exit_elsewhere(ThreadStack& thread, const CallSymbol& call, uint32_t stack, uint64_t ns) {
    if (thread.current == nullptr) begin(thread, stack, ns);
    const Target target = certainly_here(thread, stack) ? Target{.region = thread.current}
                                                        : region_of_exit(thread, call.function, stack, ns);
    if (target.wait) return false;
    const size_t index = target.region == nullptr ? 0 : target.region->find_entered(call, stack);
    if (index == 0) {
        ++counts_.unmatched_exits;
        ++thread.unmatched_exits;
        const bool here = target.region != nullptr || thread.current->empty();
        if (here && target.region != nullptr && target.region != thread.current) go_to(thread, *target.region);
        if (here && (thread.uncertain || thread.current->top_is_doubtful())) {
            exit_lost(thread, call, stack, ns);
        } else {
            pass(thread, ns);
        }
        return true;
    }
    if (!thread.uncertain) pass(thread, ns);
    if (target.region != thread.current) {
        close_continuation(thread, *target.region, index, Ending::kProvedDead);
        go_to(thread, *target.region);
    }
    StackRegion& region = *thread.current;
    region.abandoned = false;
    if (!region.throws.empty() && index < region.throws.back().depth) inlined_catch_.left(call.function, true);
    close(thread, region, index + 1, Ending::kProvedDead);
    thread.uncertain = false;
    if (!region.throws.empty()) region.throws.back().depth = std::min(region.throws.back().depth, index);
    cover(thread, stack);
    pop(thread, region, ns);
    if (thread.current != &region || region.doubtful == 0) return true;
    region.forget_doubts();
    // A frame that was put there for a lost enter has its caller proved only now.
    if (region.top_is_doubtful()) prove_caller(thread, region, call, stack);
    return true;
}

// The exit of a call that was entered in the hole: the time since then was its own.
template <CallSink Sink>
void CallStack<Sink>::exit_lost(ThreadStack& thread, const CallSymbol& call, uint32_t stack, uint64_t ns) {
    StackRegion& region = *thread.current;
    close(thread, region, region.alive_at_mark(stack), Ending::kProvedDead);
    prove_caller(thread, region, call, stack);
    put_lost(thread, region, call, stack);
    thread.uncertain = false;
    cover(thread, stack);
    pop(thread, region, ns);
}

template <CallSink Sink>
void CallStack<Sink>::thrown(ThreadStack& thread, bool ends_thread, uint32_t stack, uint64_t ns) {
    if (thread.current == nullptr) begin(thread, stack, ns);
    pass(thread, ns);
    StackRegion& region = *thread.current;
    // __cxa_throw calls _Unwind_RaiseException, which is recorded again: nothing has happened in between.
    const StackRegion::Throw now{region.frames.size(), thread.ncalls, stack, ends_thread};
    if (region.throws.empty() || region.throws.back().depth != now.depth || region.throws.back().ncalls != now.ncalls) {
        region.throws.push_back(now);
    }
    refresh(thread);
}

template <CallSink Sink>
bool CallStack<Sink>::mark(ThreadStack& thread, format::Kind kind, uint32_t stack, uint64_t ns) {
    if (thread.current == nullptr) begin(thread, stack, ns);
    const Target target = region_of_mark(thread, stack, ns);
    if (target.wait) return false;
    if (!thread.uncertain) pass(thread, ns);
    const bool jumps = kind == format::Kind::kLongjmp;
    if (target.region != thread.current) {
        if (jumps) thread.current->abandoned = true;
        if (target.region == nullptr) {
            refresh(thread);
            return true;
        }
        close_continuation(thread, *target.region, target.region->alive_at_mark(stack), Ending::kUnwound);
        go_to(thread, *target.region);
    }
    StackRegion& region = *thread.current;
    region.abandoned = false;
    size_t alive = region.alive_at_mark(stack);
    // A function that calls setjmp is never inlined: of the calls that share its machine frame it is the first.
    while (jumps && alive > 2 && region.frames[alive - 1].stack == stack && region.frames[alive - 2].stack == stack) --alive;
    for (size_t i = alive; !jumps && i < region.frames.size(); ++i) inlined_catch_.left(region.frames[i].function, false);
    close(thread, region, alive, Ending::kUnwound);
    if (thread.uncertain) pass(thread, ns);
    thread.uncertain = false;
    if (!jumps && !region.throws.empty()) region.throws.pop_back();
    while (jumps && !region.throws.empty() && region.throws.back().depth > region.frames.size()) region.throws.pop_back();
    if (region.empty()) {
        emptied(thread);
    } else {
        refresh(thread);
    }
    return true;
}

// Of the frames that share the machine frame that got control, those that did not get it are gone.
template <CallSink Sink>
void CallStack<Sink>::settle(ThreadStack& thread, const InlinedCatch::Control& control, std::span<const CallSymbol> symbols,
                             std::span<const format::Event> following) {
    StackRegion& region = *thread.current;
    size_t first = region.frames.size();
    while (first > 1 && region.frames[first - 1].stack == control.stack && region.frames[first - 1].call_site == region.top().call_site) --first;
    if (first == region.frames.size()) return;
    const std::span<const Frame> sharing = std::span<const Frame>(region.frames).subspan(first);
    const size_t alive = inlined_catch_.alive(sharing, region.frames[first - 1].function, control, symbols, following);
    close(thread, region, first + alive, Ending::kUnwound);
    if (region.empty()) emptied(thread);
}

template <CallSink Sink>
void CallStack<Sink>::gap(ThreadStack& thread, uint64_t dropped, uint64_t length_ns, uint32_t stack, uint64_t ns) {
    // How long records of a block that is not there took is not known: since the one before.
    if (thread.current == nullptr) begin(thread, stack, length_ns == kForever ? ns : ns - std::min(length_ns, ns));
    pass(thread, ns - std::min(length_ns, ns));
    const uint64_t from_ns = std::exchange(thread.last_ns, std::max(thread.last_ns, ns));
    const uint64_t nobodys = clipped(thread.last_ns) - clipped(from_ns);
    (dropped == 0 ? thread.gap_ns : thread.lost_ns) += nobodys;
    thread.current->top().away_ns += nobodys;
    if (dropped == 0) return;
    ++losses_;
    thread.uncertain = true;
    doubt(*thread.current);
    refresh(thread);
}

// ---------------------------------------------------------------------------------------------------------------
// After records were lost

// What stands on the region may have ended. Exceptions that were on their way have arrived, for all that is known.
template <CallSink Sink>
void CallStack<Sink>::doubt(StackRegion& region) {
    region.doubtful = region.frames.size();
    region.losses_seen = losses_;
    region.throws.clear();
    region.abandoned = false;
}

// `call` was made, at `stack`, by the frame on top: the function around its call site.
template <CallSink Sink>
void CallStack<Sink>::prove_caller(ThreadStack& thread, StackRegion& region, const CallSymbol& call, uint32_t stack) {
    if (call.site_function == kNone || !region.top_is_doubtful() || region.calls_from_top(call)) return;
    if (const size_t alive = region.alive_at_call_from(call.site_function); alive != 0) {
        close(thread, region, alive, Ending::kProvedDead);
    } else {
        put_lost(thread, region, {.function = call.site_function}, stack);
    }
}

// A frame for a call whose enter was lost.
template <CallSink Sink>
void CallStack<Sink>::put_lost(const ThreadStack& thread, StackRegion& region, const CallSymbol& call, uint32_t stack) {
    const PathId path = sink_.inherit(region.top().path, call.function, thread);
    region.frames.push_back({.call_site = call.call_site,
                             .function = call.function,
                             .path = path,
                             .stack = stack,
                             .start_ns = thread.last_ns,
                             .inherited = true});
}

// ---------------------------------------------------------------------------------------------------------------
// Ends

template <CallSink Sink>
void CallStack<Sink>::end_thread(ThreadStack& thread, uint64_t ns, bool exited) {
    if (thread.current == nullptr) return;
    pass(thread, ns);
    StackRegion& own = *thread.own;
    const Visit visit = visit_seen_from(thread, own);
    leave_current(thread);
    arrive(thread, own, visit);
    // pthread_exit is recorded as a throw that nobody catches.
    close(thread, own, 1, exited && !own.throws.empty() ? Ending::kUnwound : Ending::kOpen);
    thread.own.reset();
    thread.current = nullptr;
    thread.check_enters = thread.check_exits = true;
}

template <CallSink Sink>
void CallStack<Sink>::end_process() {
    suspended_.take_all([&](StackRegion& region) {
        while (!region.empty()) end_top(region, region.left_ns, Ending::kOpen);
    });
}

}  // namespace fnprof::model
