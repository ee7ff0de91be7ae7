#include "model/stack_region.h"

#include <algorithm>

namespace fnprof::model {

namespace {

// Functions inlined into one another and one frame: longer chains are taken for recursion.
constexpr size_t kInlineDepth = 64;

// How many absent functions a fruitless search may remember side by side.
constexpr size_t kAbsentNotes = 8;

}  // namespace

StackRegion::StackRegion(uint64_t region_id, PathId base, uint32_t stack, uint64_t ns)
    : frames{{.path = base, .stack = stack}}, low(stack), high(stack), id(region_id), began_ns(ns) {}

size_t StackRegion::find(FunctionId function, size_t count) {
    for (size_t i = count - 1; i > 0; --i) {
        if (frames[i].function == function) return i;
        if (frames[i].absent == function) break;
    }
    const size_t last = count - 1;
    const size_t end = last > kAbsentNotes ? last - kAbsentNotes : 0;
    for (size_t i = last; i > end; --i) {
        if (frames[i].absent == kNone || frames[i].absent == function) {
            frames[i].absent = function;
            return 0;
        }
    }
    if (last > 0) frames[last].absent = function;
    return 0;
}

size_t StackRegion::find_entered(const CallSymbol& call, uint32_t stack) {
    const size_t index = find(call.function);
    if (index == 0 || index >= doubtful) return index;
    size_t sharing = 0;
    for (size_t i = index; i > 0 && !is_below(stack, frames[i].stack) && sharing < kInlineDepth; --i) {
        if (frames[i].function == call.function && frames[i].call_site == call.call_site) return i;
        sharing += frames[i].stack == stack;
    }
    return 0;
}

bool StackRegion::calls_from_top(const CallSymbol& call) const {
    if (call.site_function == kNone || empty()) return false;
    const size_t end = frames.size() > kInlineDepth ? frames.size() - kInlineDepth : 0;
    for (size_t i = frames.size() - 1; i > end; --i) {
        if (frames[i].function == call.site_function) return true;
        if (i == 1 || frames[i].call_site != frames[i - 1].call_site) return false;  // not inlined into the next one
    }
    return false;
}

bool StackRegion::is_restarted_by(const CallSymbol& call, uint32_t stack, bool all_alive) const {
    if (empty() || call.site_function != kNone) return false;
    if (is_below(bottom().stack, stack)) return true;
    if (all_alive && throws.empty() && is_below(top().stack, stack)) return true;
    if (call.call_site != bottom().call_site) return false;
    // Either the first function is called anew, or one that is inlined into it is entered: then nothing but the first function and
    // what is inlined into it can be alive, and it does not call itself.
    return top().call_site != bottom().call_site || (call.function == bottom().function && stack == bottom().stack);
}

size_t StackRegion::alive_at_enter(const CallSymbol& call, uint32_t stack) {
    size_t alive = frames.size();
    for (; alive > 1; --alive) {
        const Frame& frame = frames[alive - 1];
        if (is_below(stack, frame.stack)) break;
        // One machine frame makes all its calls on one stack pointer, and functions inlined into it share its call site.
        if (stack == frame.stack && frame.call_site == call.call_site) return alive;
    }
    return alive_at_site(call, alive);
}

size_t StackRegion::alive_at_site(const CallSymbol& call, size_t alive) {
    if (alive == 1 || call.site_function == kNone) return alive;
    const size_t caller = find(call.site_function, alive);
    if (caller == 0) return alive;
    for (size_t i = alive - 1; i > caller; --i) {
        // Inlined into frame i, or a call from a function inlined into the caller.
        if (frames[i].call_site == call.call_site || frames[i].call_site == frames[caller].call_site) return i + 1;
    }
    return caller + 1;
}

bool StackRegion::is_after_thread(const CallSymbol& call, uint32_t stack) const {
    // Cleanup handlers that run while the stack is unwound lie below the unwinder's frames, a kilobyte further down than pthread_exit was
    // called; destructors of the thread's keys and exit's handlers lie about where the thread's first function did.
    constexpr uint32_t kUnwinder = 512 / 16;
    return !throws.empty() && throws.back().ends_thread && call.site_function == kNone && is_below(throws.back().stack - kUnwinder, stack);
}

size_t StackRegion::alive_after_loss(const CallSymbol& call, uint32_t stack) const {
    const size_t above = alive_at_mark(stack);
    size_t alive = above;
    while (alive > 1 && frames[alive - 1].stack == stack && above - alive < kInlineDepth) --alive;
    // What the call is inlined into shares its stack pointer and call site. But the function itself does not stand there twice: a loop
    // that calls it again is likelier than a recursion inlined into itself.
    while (alive < above && frames[alive].call_site == call.call_site && frames[alive].function != call.function) ++alive;
    return alive;
}

size_t StackRegion::alive_at_call_from(FunctionId function) {
    const size_t caller = find(function);
    if (caller == 0) return 0;
    size_t alive = caller + 1;
    // With what is inlined into it.
    while (alive < frames.size() && alive - caller < kInlineDepth && frames[alive].stack == frames[caller].stack && frames[alive].call_site == frames[caller].call_site) ++alive;
    return alive;
}

size_t StackRegion::alive_at_mark(uint32_t stack) const {
    size_t alive = frames.size();
    while (alive > 1 && is_below(frames[alive - 1].stack, stack)) --alive;
    return alive;
}

}  // namespace fnprof::model
