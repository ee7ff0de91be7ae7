// CallStack's part that knows of memory: which region a record belongs to, and how a thread goes from one to another. See
// call_stack.h for the why.
#pragma once

#include <algorithm>
#include <memory>
#include <utility>

#include "model/call_stack.h"

namespace fnprof::model {

template <CallSink Sink>
typename CallStack<Sink>::Target CallStack<Sink>::usable(ThreadStack& thread, StackRegion* region, uint64_t ns) {
    if (region == thread.current || region == thread.own.get()) return {.region = region};
    if (ns > thread.horizon_ns) return {.wait = true};
    if (region->left_ns > ns) {
        ++counts_.misordered;
        return {};
    }
    return {.region = region};
}

template <CallSink Sink>
RegionMap::Place CallStack<Sink>::around(ThreadStack& thread, uint32_t stack) {
    thread.current->cover_top();
    StackRegion* const own = never_own(thread, stack) ? nullptr : thread.own.get();
    return suspended_.around(stack, thread.visiting != nullptr ? thread.visiting.get() : own, own);
}

// A call by nothing that is instrumented, while nothing is active on the thread's own stack: made on that one, if it is known to reach
// there, or if the call is the thread's first or near where that was. What lay suspended in that memory is gone.
template <CallSink Sink>
bool CallStack<Sink>::is_on_own_stack(const ThreadStack& thread, const CallSymbol& call, uint32_t stack) const {
    const StackRegion& own = *thread.own;
    return thread.current == &own && own.empty() && call.site_function == kNone &&
           (thread.extent.known() ? thread.extent.contains(stack) : stack - (own.low - kJustAbove) <= own.high - own.low + 2 * kJustAbove);
}

template <CallSink Sink>
typename CallStack<Sink>::Target CallStack<Sink>::own_stack(ThreadStack& thread, uint32_t stack, uint64_t ns) {
    StackRegion& own = *thread.own;
    if (is_unused(thread, own)) own.low = own.high = stack;
    for (;;) {
        StackRegion* const former = suspended_.around(stack, &own, &own).inside;
        if (former == nullptr || former == &own || former->left_ns > ns) return {.region = &own};
        bury(*former);
    }
}

template <CallSink Sink>
typename CallStack<Sink>::Target CallStack<Sink>::region_of_enter(ThreadStack& thread, const CallSymbol& call, uint32_t stack,
                                                                  uint64_t ns) {
    StackRegion& current = *thread.current;
    const RegionMap::Place place = around(thread, stack);
    const bool from_top = current.calls_from_top(call);
    if (place.inside != nullptr && !precedes(thread, *place.inside, stack)) {
        // The current stack has grown into memory that an abandoned fiber once had.
        const bool grown = from_top && place.inside != &current && is_below(stack, current.low) &&
                           current.low - stack <= kBiggestFrame && !place.inside->calls_from_top(call);
        const Target target = usable(thread, grown ? &current : place.inside, ns);
        if (grown && place.inside != thread.own.get() && place.inside->left_ns <= ns) bury(*place.inside);
        return target;
    }
    // Code that is not instrumented may take any part of the thread's own stack, and call back from there.
    if (surely_own(thread, stack)) return own_stack(thread, stack, ns);
    if (StackRegion* above = place.above; above != nullptr) {
        const uint32_t reach = above->calls_from_top(call) ? kBiggestFrame : above->empty() ? kAroundEmpty : kNear;
        if (place.above_distance <= reach) return usable(thread, above, ns);
    }
    if (StackRegion* below = place.below; below != nullptr) {
        if (place.below_distance <= (below->empty() ? kAroundEmpty : kJustAbove)) return usable(thread, below, ns);
    }
    // But two stacks may be in the same function, that which switches between them: it may be another thread's fiber.
    if (from_top) return {.continues = true, .wait = ns > thread.horizon_ns};
    if (call.site_function == kNone && !current.empty() && is_morestack_ && is_morestack_(call.call_site)) return {.continues = true};
    // A fiber of another thread, perhaps; or memory that another thread uses before this one does, though its records come later.
    return {.wait = ns > thread.horizon_ns};
}

template <CallSink Sink>
typename CallStack<Sink>::Target CallStack<Sink>::region_of_exit(ThreadStack& thread, FunctionId function, uint32_t stack,
                                                                 uint64_t ns) {
    const RegionMap::Place place = around(thread, stack);
    if (place.inside != nullptr && place.inside->find(function) != 0) return usable(thread, place.inside, ns);
    // An exit hook that is tail-called sees a higher stack pointer than the enter hook did, one in a function that has used
    // alloca a lower one.
    const bool above = place.above != nullptr && place.above_distance <= kBiggestFrame && place.above->top().function == function;
    const bool below = place.below != nullptr && place.below_distance <= kBiggestFrame && place.below->find(function) != 0;
    if (above && (!below || place.above_distance < place.below_distance)) return usable(thread, place.above, ns);
    if (below) return usable(thread, place.below, ns);
    if (place.inside != nullptr && !place.inside->empty()) return {};
    return {.wait = ns > thread.horizon_ns};
}

template <CallSink Sink>
typename CallStack<Sink>::Target CallStack<Sink>::region_of_mark(ThreadStack& thread, uint32_t stack, uint64_t ns) {
    const RegionMap::Place place = around(thread, stack);
    if (place.inside != nullptr && !precedes(thread, *place.inside, stack)) return usable(thread, place.inside, ns);
    if (surely_own(thread, stack)) return own_stack(thread, stack, ns);
    const bool above = place.above != nullptr && place.above_distance <= kAroundEmpty;
    const bool below = place.below != nullptr && place.below_distance <= kAroundEmpty;
    if (above && (!below || place.above_distance < place.below_distance)) return usable(thread, place.above, ns);
    if (below) return usable(thread, place.below, ns);
    return {};
}

template <CallSink Sink>
void CallStack<Sink>::go_to(ThreadStack& thread, StackRegion& region) {
    const uint64_t from = thread.current->empty() ? 0 : thread.current->id;
    const uint32_t from_high = thread.current->high;
    const Visit visit = visit_seen_from(thread, region);
    std::unique_ptr<StackRegion> next = &region == thread.own.get() ? nullptr : suspended_.resume(region);
    leave_current(thread);
    thread.visiting = std::move(next);
    if (thread.visiting != nullptr) {
        thread.visiting->returns_to = from;
        thread.visiting->returns_to_high = from_high;
    }
    thread.current = &region;
    arrive(thread, region, visit);
    if (region.losses_seen != losses_) doubt(region);
    refresh(thread);
}

template <CallSink Sink>
void CallStack<Sink>::open_region(ThreadStack& thread, uint32_t stack, bool continues, uint64_t ns) {
    const StackRegion& from = *thread.current;
    auto region = std::make_unique<StackRegion>(++region_count_, continues ? from.top().path : root_, stack, ns);
    region->returns_to = from.empty() ? 0 : from.id;
    region->returns_to_high = from.high;
    region->continues_depth = continues ? from.frames.size() : 0;
    region->losses_seen = losses_;
    region->left_ns = thread.last_ns;
    leave_current(thread);
    thread.visiting = std::move(region);
    thread.current = thread.visiting.get();
    arrive(thread, *thread.current, {});
    refresh(thread);
}

template <CallSink Sink>
typename CallStack<Sink>::Visit CallStack<Sink>::visit_seen_from(const ThreadStack& thread, const StackRegion& next) const {
    const StackRegion& current = *thread.current;
    if (current.continues_depth == 0 || current.returns_to != next.id || next.frames.size() < current.continues_depth) return {};
    return {active_ns(thread) - current.active_then, current.frames[0].descendants};
}

// The region has become its thread's current one, after `visit`.
template <CallSink Sink>
void CallStack<Sink>::arrive(ThreadStack& thread, StackRegion& region, const Visit& visit) {
    Frame& top = region.top();
    top.away_ns += clipped(thread.last_ns) - clipped(region.left_ns) - visit.active_ns;
    top.inner_ns += visit.active_ns;
    top.descendants += visit.descendants;
    region.frames[0].descendants = 0;  // those have been told to the region that it continues, if any
    region.thread = thread.serial;
    region.active_then = active_ns(thread);
}

// The current region is suspended, or dropped if nothing is on it.
template <CallSink Sink>
void CallStack<Sink>::leave_current(ThreadStack& thread) {
    StackRegion& region = *thread.current;
    region.forget_popped();
    region.left_ns = thread.last_ns;
    region.losses_seen = losses_;
    if (thread.visiting != nullptr && !region.empty()) suspended_.suspend(std::move(thread.visiting));
    thread.visiting.reset();
}

// A suspended region whose memory is something else's by now.
template <CallSink Sink>
void CallStack<Sink>::bury(StackRegion& region) {
    const std::unique_ptr<StackRegion> gone = suspended_.resume(region);
    if (gone == nullptr) return;
    while (!gone->empty()) end_top(*gone, gone->left_ns, Ending::kProvedDead);
}

// The current region has lost its last frame.
template <CallSink Sink>
void CallStack<Sink>::emptied(ThreadStack& thread) {
    StackRegion& region = *thread.current;
    region.throws.clear();
    if (thread.visiting != nullptr) {
        std::unique_ptr<StackRegion> back;
        if (region.returns_to != 0) back = suspended_.resume(region.returns_to, region.returns_to_high);
        StackRegion& next = back != nullptr ? *back : *thread.own;
        const Visit visit = visit_seen_from(thread, next);
        thread.visiting = std::move(back);
        thread.current = &next;
        arrive(thread, next, visit);
    }
    refresh(thread);
}

// Control is about to go to `region`, to a frame under the one that the current region continues: what is on the current one is gone.
template <CallSink Sink>
void CallStack<Sink>::close_continuation(ThreadStack& thread, const StackRegion& region, size_t alive, Ending ending) {
    StackRegion& current = *thread.current;
    if (current.continues_depth > alive && current.returns_to == region.id) close(thread, current, 1, ending);
}

template <CallSink Sink>
void CallStack<Sink>::close(ThreadStack& thread, StackRegion& region, size_t alive, Ending ending) {
    while (region.frames.size() > alive) end_top(region, thread.last_ns, ending);
    region.forget_doubts();
}

// The record at `stack` turned out to be the current region's.
template <CallSink Sink>
void CallStack<Sink>::cover(ThreadStack& thread, uint32_t stack) {
    StackRegion& region = *thread.current;
    if (is_below(stack, region.low)) region.low = stack;
    if (is_below(region.high, stack)) region.high = stack;
    refresh(thread);
}

template <CallSink Sink>
void CallStack<Sink>::refresh(ThreadStack& thread) {
    const StackRegion& region = *thread.current;
    const bool throws = !region.throws.empty();
    uint32_t room = suspended_.room_below(region, *thread.own);
    if (&region == thread.own.get() && thread.extent.known() && !thread.extent.grows) room = std::min(room, region.low - thread.extent.low);
    thread.window_low = region.low - room;
    thread.window_span = region.high - thread.window_low;
    const bool doubts = thread.uncertain || region.doubtful != 0;
    thread.check_enters = !marks_on_ || doubts || region.abandoned || throws || is_unused(thread, region);
    thread.check_exits = doubts || throws;
}

}  // namespace fnprof::model
