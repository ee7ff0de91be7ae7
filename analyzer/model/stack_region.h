// One contiguous piece of memory that calls run on (a thread's stack, a fiber's, a signal stack) and the frames that live on it:
// the questions that call_stack.h has to ask about them, without any decision.
//
// Stack pointers are in 16-byte units modulo 2^32; stacks grow down, so a smaller stack pointer belongs to a later call. All
// comparisons are by signed difference.
#pragma once

#include <cstdint>
#include <vector>

#include "model/profile.h"

namespace fnprof::model {

// What an enter or exit record names, resolved once a block.
struct CallSymbol {
    uint64_t call_site = 0;
    FunctionId function = kNone;
    FunctionId site_function = kNone;  // the instrumented function that the call site lies in
    bool first_at_site = true;         // no other function was seen to be entered from there before: it is what is called there
};

struct Frame {
    uint64_t call_site = 0;
    FunctionId function = kNone;
    PathId path = 0;
    uint32_t stack = 0;
    FunctionId absent = kNone;  // a function known to be in no frame from this one down; kNone: nothing known
    uint64_t start_ns = 0;
    uint64_t away_ns = 0;      // since then, the time that was not this call's nor its callees'
    uint64_t inner_ns = 0;     // in calls made by this one that have ended
    uint64_t descendants = 0;  // those calls, and the calls in them
    bool inherited = false;    // not entered here: by the parent process before the fork, or by a record that is lost
};
static_assert(sizeof(Frame) == 64);  // one cache line a call

constexpr bool is_below(uint32_t stack, uint32_t other) { return static_cast<int32_t>(stack - other) < 0; }

// Calls that were taken for a part of another one, and their time.
struct Folded {
    uint64_t calls = 0;
    uint64_t ns = 0;
};

// A region as a forked child inherits it: its frames, outermost first, with the functions' numbers in the parent's trace.
struct InheritedRegion {
    std::vector<CallSymbol> calls;  // site functions are not filled in
    std::vector<uint32_t> stacks;
    uint32_t low = 0;
    uint32_t high = 0;
    bool own = false;      // the forking thread's own stack
    bool current = false;  // where it forked
    size_t under = ~size_t{0};  // index of the region that this one continues, if any, which comes before it
    size_t under_depth = 0;     // frames of that one, base included, when this one began
};

struct StackRegion {
    // frames[0] is the base: no function, and the path that roots of this region hang from.
    std::vector<Frame> frames;
    uint32_t low = 0;   // [low, high] is the part that was seen in use
    uint32_t high = 0;

    uint32_t thread = 0;  // the serial of the thread that ran on it last
    uint64_t id = 0;
    uint64_t began_ns = 0;    // when its memory was last found to be used anew
    uint64_t left_ns = 0;     // not its thread's current one: since when
    uint64_t active_then = 0; // its thread's active time when it became the current one
    uint64_t returns_to = 0;  // id of the region that its thread ran on before; 0: none
    uint32_t returns_to_high = 0;
    size_t continues_depth = 0;  // frames of that region when this one began as its continuation; 0: it has roots of its own
    bool abandoned = false;   // control left it by longjmp: its frames may be dead

    struct Throw {
        size_t depth;     // frames that were alive when the exception was last seen on its way
        uint64_t ncalls;  // of the thread when it was thrown
        uint32_t stack;   // of the function that threw
        bool ends_thread; // thrown by pthread_exit: nobody catches it
    };
    std::vector<Throw> throws;  // exceptions thrown and not yet caught, the innermost last

    // Frames, base included, that stood when records were lost: they may have ended since, and others may have begun. 0: none.
    size_t doubtful = 0;
    uint64_t losses_seen = 0;  // of the process's losses: when this region was last left

    // By frame; frames beyond its end have none. Only sinks that fold calls have any.
    std::vector<Folded> folded;

    StackRegion(uint64_t region_id, PathId base, uint32_t stack, uint64_t ns = 0);

    bool empty() const { return frames.size() == 1; }
    Frame& top() { return frames.back(); }
    const Frame& top() const { return frames.back(); }
    const Frame& bottom() const { return frames[1]; }

    // Index of the nearest frame of `function` among the first `count` frames, 0 if there is none. What a fruitless search
    // learnt is kept in the frames: many exits that match nothing, on a deep stack, do not walk it each time.
    size_t find(FunctionId function, size_t count);
    size_t find(FunctionId function) { return find(function, frames.size()); }

    // The frame that the exit of `call` at `stack` ends, 0 if there is none. A doubtful frame has to have the exit's call site, and cannot
    // lie above its stack pointer.
    size_t find_entered(const CallSymbol& call, uint32_t stack);

    // Whether the call was made from the body of the top frame, or of the frame that it was inlined into.
    bool calls_from_top(const CallSymbol& call) const;

    // Whether `call` is the first call on this memory used anew, by something that was not called from the frames on it. `all_alive`: if it
    // is not used anew, then all of them are active, since each end but by an exception is recorded.
    bool is_restarted_by(const CallSymbol& call, uint32_t stack, bool all_alive) const;

    // Number of frames, base included, that can be alive when `call` is entered at `stack`, judged by the record alone.
    size_t alive_at_enter(const CallSymbol& call, uint32_t stack);

    // The same for a call in whose way the records see no exception, by its call site alone: it lies in a frame further down, and no
    // function inlined into that one is between.
    size_t alive_under(const CallSymbol& call) { return alive_at_site(call, frames.size()); }

    // Whether `call`, by nothing that is instrumented, comes after the stack was unwound for pthread_exit down to the thread's start.
    bool is_after_thread(const CallSymbol& call, uint32_t stack) const;

    // The same when records were lost before, and frames that look like the call's own may be those of an earlier one.
    size_t alive_after_loss(const CallSymbol& call, uint32_t stack) const;

    // Number of frames, base included, that are alive when the frame at `stack` gets control.
    size_t alive_at_mark(uint32_t stack) const;

    // Number of frames, base included, that are alive when the nearest of `function` calls; 0: there is none.
    size_t alive_at_call_from(FunctionId function);

    bool top_is_doubtful() const { return frames.size() <= doubtful; }
    // Frames may have been removed.
    void forget_doubts() {
        if (doubtful > frames.size()) doubtful = frames.size();
    }

    // What was folded into the top frame, which is about to go.
    Folded take_folded() {
        if (folded.size() < frames.size()) return {};
        const Folded result = folded.back();
        folded.pop_back();
        return result;
    }
    // After take_folded().
    void fold_below_top(const Folded& more) {
        folded.resize(frames.size() - 1);
        folded.back().calls += more.calls;
        folded.back().ns += more.ns;
    }

    // Frames pushed since may lie lower than what was seen.
    void cover_top() {
        if (!empty() && is_below(top().stack, low)) low = top().stack;
    }

    // What was seen in use shrinks to what is in use.
    void forget_popped() {
        if (!empty()) low = top().stack;
    }

  private:
    size_t alive_at_site(const CallSymbol& call, size_t alive);
};

}  // namespace fnprof::model
