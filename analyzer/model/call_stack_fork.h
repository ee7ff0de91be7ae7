// CallStack's part of a fork: what a child has of its parent's stacks. See call_stack.h.
#pragma once

#include <algorithm>
#include <utility>

#include "model/call_stack.h"

namespace fnprof::model {

template <CallSink Sink>
std::vector<InheritedRegion> CallStack<Sink>::bequeath(const ThreadStack& thread) const {
    if (thread.current == nullptr) return {};
    std::vector<const StackRegion*> alive{thread.own.get()};
    if (thread.visiting != nullptr) alive.push_back(thread.visiting.get());
    suspended_.for_each([&](const StackRegion& region) { alive.push_back(&region); });
    std::ranges::sort(alive, {}, &StackRegion::id);
    std::vector<InheritedRegion> result;
    for (const StackRegion* region : alive) {
        InheritedRegion& copy = result.emplace_back();
        for (const Frame& frame : std::span<const Frame>(region->frames).subspan(1)) {
            copy.calls.push_back({.call_site = frame.call_site, .function = frame.function});
            copy.stacks.push_back(frame.stack);
        }
        copy.low = region->low;
        copy.high = region->high;
        copy.own = region == thread.own.get();
        copy.current = region == thread.current;
        const auto under = std::ranges::find(alive, region->returns_to, &StackRegion::id);
        if (region->continues_depth == 0 || under == alive.end() || (*under)->id > region->id) continue;
        copy.under = static_cast<size_t>(under - alive.begin());
        copy.under_depth = std::min(region->continues_depth, (*under)->frames.size());
    }
    return result;
}

template <CallSink Sink>
void CallStack<Sink>::inherit(ThreadStack& thread, std::span<const InheritedRegion> regions, uint64_t ns) {
    if (regions.empty()) return;
    if (!thread.started) thread.first_ns = ns;
    thread.last_ns = std::max(thread.last_ns, ns);
    thread.started = true;
    std::vector<std::unique_ptr<StackRegion>> made;
    std::vector<StackRegion*> all;
    for (const InheritedRegion& from : regions) {
        const StackRegion* const under = from.under < all.size() ? all[from.under] : nullptr;
        const PathId base = under != nullptr ? under->frames[from.under_depth - 1].path : root_;
        auto region = std::make_unique<StackRegion>(++region_count_, base, from.stacks.empty() ? from.high : from.stacks.front(), ns);
        for (size_t i = 0; i < from.calls.size(); ++i) {
            const PathId path = sink_.inherit(region->top().path, from.calls[i].function, thread);
            region->frames.push_back({.call_site = from.calls[i].call_site,
                                      .function = from.calls[i].function,
                                      .path = path,
                                      .stack = from.stacks[i],
                                      .start_ns = thread.last_ns,
                                      .inherited = true});
        }
        region->low = from.low;
        region->high = from.high;
        region->cover_top();
        region->left_ns = thread.last_ns;
        if (under != nullptr) {
            region->returns_to = under->id;
            region->returns_to_high = under->high;
            region->continues_depth = from.under_depth;
        }
        all.push_back(region.get());
        made.push_back(std::move(region));
    }
    for (size_t i = 0; i < regions.size(); ++i) {
        if (regions[i].current) thread.current = made[i].get();
        if (regions[i].own) {
            thread.own = std::move(made[i]);
        } else if (regions[i].current) {
            thread.visiting = std::move(made[i]);
        } else {
            suspended_.suspend(std::move(made[i]));
        }
    }
    arrive(thread, *thread.current, {});
    refresh(thread);
}

}  // namespace fnprof::model
