// CallStack: the one place that decides what a call is. It turns the records of a process's threads into calls, each with a caller,
// a time and a way of ending, and tells them to a sink.
//
// What makes it more than push and pop
// ------------------------------------
// Exits are missing. No exit is recorded for a frame that longjmp jumps over, that clang unwinds for an exception, or that was
// compiled as C and has an exception pass through it; the last frames of a killed program never leave. And stacks change under a
// thread: signal stacks, fibers, split stacks. So each thread runs on a *region* at a time, a shadow stack for one piece of stack
// memory (stack_region.h), and frames leave a region in one of four ways:
//
//   kReturned    an exit names exactly this function, and no nearer frame does
//   kUnwound     a CATCH or LONGJMP mark says which stack pointer got control: every frame below it is gone (and where functions
//                inlined into one another share that stack pointer, those that inlined_catch.h finds gone)
//   kProvedDead  a later record cannot be if the frame were alive: an exit of a frame further down; an enter from the body of a frame
//                further down (a thread that is cancelled runs destructors, and nothing marks it; by what is called there, not by
//                what clang has inlined into a coroutine, which names its first caller for ever); or, where marks cannot be
//                trusted (none in this trace, an exception on its way, records dropped), an enter whose stack pointer and call
//                site contradict the frame
//   kOpen        still there when the trace ends
//
// The caller of a call is what is on top when it is entered. It is never changed afterwards, and an exit that matches nothing is
// counted and changes nothing.
//
// Example. top catches what leaf throws, compiled by clang; stack pointers in 16-byte units:
//
//   record                    frames after it              why
//   ENTER top    sp 100       top
//   ENTER mid    sp  96       top mid
//   ENTER leaf   sp  93       top mid leaf
//   THROW                     top mid leaf                 from here on an enter has to be looked at
//   CATCH        sp 100       top                          93 and 96 are below 100; 100 itself is the catcher
//   ENTER next   sp  91       top next                     not a child of leaf, although 91 < 93
//   EXIT  next                top
//   EXIT  top
//
// Without the two marks, ENTER next at 91 would look like a call made by leaf, unless its call site is known to lie in top.
//
// A region is left when a record's stack pointer lies outside it (region_map.h judges that). The region that control came from is
// suspended: its frames stay and no time passes in them. A region that becomes empty is dropped, and its thread is back on the
// region that it came from; a fiber that is suspended on one thread may be continued on another. A thread's own
// stack is known by its bounds, if the trace has them; other memory by distances. New memory's first frame has no
// caller, as with a signal handler or a fiber's entry; unless it was called from the body of the frame on top, or through
// __morestack: then its region continues the stack that it came from.
//
// Records can be lost: dropped by a full ring, or with a block that is damaged or missing. The frames that stand then are doubtful,
// and so is what they were called by. From then on three things that records say of other frames are used, since each is true
// whatever was lost: frames lower than a record's stack pointer are gone; the function that a call site lies in is active; an exit
// has its enter's call site. A function that must be active and is on no frame was entered in the hole: it gets a frame, and the
// time, but no call is counted. What none of this decides stays as it was, and the profile says that it is not complete.
//
//   main > w > a > leaf, hole, ENTER leaf from a at the same stack pointer       main w a leaf    not leaf > leaf
//   main > w > a > leaf, hole, ENTER leaf from b                                 main w a (b) leaf    b was entered in the hole; a is not
//                                                                                disproved, unless b's exit says that w called it
//   main > w > a > leaf, hole, EXIT b, called from w                             main w    and the time since the hole was b's
//
// Order between threads. Only regions that change threads need it. A caller that cannot give all threads' records in the order of
// time sets a horizon: the time up to which everything of the other threads has been given. run() stops in front of a record
// that may need a region that another thread had, and has to be called again from there with a later horizon.
//
// Time never runs backwards on a thread: a record earlier than its predecessor counts as simultaneous. Each moment is the frame's on top
// of the current region, unless nobody's: a gap, or a loss. Nothing is added up as it passes: a call's duration is what lies between
// its enter and its end, less what was not its own (`away_ns`: gaps, and while its region was not the current one), and its self
// time is its duration less those of the calls it made. What a region did that continues another one is the work of the call that it
// continues. Everything is iterative and no step costs more than the frames it removes.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "format/decoder.h"
#include "format/layout.h"
#include "model/inlined_catch.h"
#include "model/profile.h"
#include "model/region_map.h"
#include "model/stack_region.h"

namespace fnprof::model {

// What a call took when it has ended.
struct Activation {
    uint64_t duration_ns;  // in it and in the calls it made, as measured; suspended stacks and gaps do not count
    uint64_t self_ns;      // in itself
    uint64_t end_ns;
    uint32_t thread;  // serial of the thread that it ended on
    Ending ending;  // profile.h
};


// Stack pointers [low, high) between which nothing lies but a thread's own stack, in 16-byte units modulo 2^32; 0, 0: not known.
struct StackExtent {
    uint32_t low = 0;
    uint32_t high = 0;
    bool grows = false;  // the kernel's: it may reach lower, if its limit was raised

    bool known() const { return low != high; }
    bool contains(uint32_t stack) const { return stack - low < high - low; }
};

constexpr uint64_t kForever = ~uint64_t{0};

// What CallStack keeps of a thread.
struct ThreadStack {
    // Hot: the window of stack pointers that certainly belong to `current`, and whether to trust records in it.
    StackRegion* current = nullptr;  // null before the first record
    uint32_t window_low = 0;
    uint32_t window_span = 0;
    bool check_enters = true;
    bool check_exits = true;
    bool uncertain = false;  // records were lost just before the next one
    uint64_t last_ns = 0;
    uint64_t ncalls = 0;
    uint64_t busy_ns = 0;  // with a call on top
    uint64_t unmatched_exits = 0;

    std::unique_ptr<StackRegion> own;       // the thread's first region: roots that come next are entered on it
    std::unique_ptr<StackRegion> visiting;  // the current region if it is not its own
    uint64_t horizon_ns = kForever;         // see "Order between threads"
    StackExtent extent;                     // of its own stack
    uint32_t serial = 0;
    uint64_t first_ns = 0;
    uint64_t gap_ns = 0;   // held up by fnprof
    uint64_t lost_ns = 0;  // of which records are lost
    bool started = false;  // has had a record

    // Gives back memory that an idle thread does not need.
    void trim() {
        if (own != nullptr && own->empty()) own->frames.shrink_to_fit();
    }
};

// A path is the sink's name for a chain of calls; it gives one for each call entered and gets it back with the call's time and end.
// A call that the process inherited from its parent gets a path, but was not entered here. Time that passes on a stack that continues
// a call while nothing is on it is that call's, and told as it passes.
template <class Sink>
concept NamesPaths = requires(Sink& sink, PathId path, FunctionId function, const Frame& caller, const CallSymbol& call, uint32_t stack,
                              const ThreadStack& thread) {
    { sink.enter(caller, call, stack, thread) } -> std::same_as<PathId>;
    { sink.inherit(path, function, thread) } -> std::same_as<PathId>;
    sink.pass(path, uint64_t{});
};

// A sink that takes part of the calls and of the time.
//   clip()    the moment of the time that counts which is nearest to a moment: durations lie between such moments, while what came
//             first is judged by true ones
//   busy()    a thread had a call on top from one moment to another
//   leave()   also gets what was folded into the call; if it returns something, this is folded into its caller
//   fold()    the same where the caller is on another region, or there is none
template <class Sink>
concept SelectiveSink = NamesPaths<Sink> && requires(Sink& sink, PathId path, const Frame& frame, const Activation& activation, const Folded& folded,
                                                     const ThreadStack& thread, uint64_t ns) {
    { sink.clip(ns) } -> std::same_as<uint64_t>;
    sink.busy(thread, ns, ns);
    { sink.leave(frame, activation, folded) } -> std::same_as<std::optional<Folded>>;
    sink.fold(path, folded);
};

template <class Sink>
concept CallSink = SelectiveSink<Sink> || (NamesPaths<Sink> && requires(Sink& sink, const Frame& frame, const Activation& activation) {
    sink.leave(frame, activation);
});

struct CallStackCounts {
    uint64_t unmatched_exits = 0;
    uint64_t misordered = 0;  // a region was wanted by a thread at a time before another thread had left it
};

template <CallSink Sink>
class CallStack {
  public:
    // Whether a call site lies in __morestack. Asked rarely: at the first call on other memory.
    using IsMorestack = std::function<bool(uint64_t call_site)>;

    // The function that a piece of code around a call site was split off from (gcc's .cold), kNone if it is no such piece. Asked rarely: about
    // calls while pthread_exit unwinds a stack.
    using SplitOffFrom = std::function<FunctionId(uint64_t call_site)>;

    // `root` is the path of frames without a caller. `marks_on`: throws, catches and longjmps are in the records. The
    // questions may be empty.
    CallStack(Sink& sink, PathId root, bool marks_on, IsMorestack is_morestack = {}, SplitOffFrom split_off_from = {})
        : sink_(sink),
          root_(root),
          marks_on_(marks_on),
          is_morestack_(std::move(is_morestack)),
          split_off_from_(std::move(split_off_from)) {}

    // Events with nanoseconds in place of ticks. The symbol of a gap has the number of records dropped as its function and the gap's
    // length in nanoseconds as its call site, the symbol of a catch or longjmp the address that gets control as its call site, that of a
    // throw what it has in its record as its function. Returns the number of
    // events taken: all, or those before the one that has to wait.
    size_t run(ThreadStack& thread, std::span<const CallSymbol> symbols, std::span<const format::Event> events) {
        for (size_t i = 0; i < events.size(); ++i) {
            const format::Event& event = events[i];
            const format::Kind kind = format::kind_of(event.time_word);
            const CallSymbol& call = symbols[event.symbol];
            if (!record(thread, kind, call, event.stack, format::ticks_of(event.time_word))) return i;
            if (kind != format::Kind::kCatch && kind != format::Kind::kLongjmp) [[likely]] continue;
            settle(thread, {kind, event.stack, call.call_site}, symbols, events.subspan(i + 1));
        }
        return events.size();
    }

    // One record; false: it has to wait, nothing has changed.
    bool record(ThreadStack& thread, format::Kind kind, const CallSymbol& call, uint32_t stack, uint64_t ns) {
        if (kind == format::Kind::kEnter) return enter(thread, call, stack, ns);
        if (kind == format::Kind::kExit) return exit(thread, call, stack, ns);
        switch (kind) {
            case format::Kind::kThrow: thrown(thread, call.function == format::kEndsThread, stack, ns); return true;
            case format::Kind::kCatch:
            case format::Kind::kLongjmp: return mark(thread, kind, stack, ns);
            case format::Kind::kGap: gap(thread, call.function, call.call_site, stack, ns); return true;
            default: return true;
        }
    }

    // What the child of a fork by this thread has of its stacks: the one it is on, the thread's own, and the suspended ones of all
    // threads, which any thread may go on with.
    std::vector<InheritedRegion> bequeath(const ThreadStack& thread) const;

    // The thread begins with these calls active: the child of a fork, at the fork's time.
    void inherit(ThreadStack& thread, std::span<const InheritedRegion> regions, uint64_t ns);

    // The thread's last moment: its time stops. `exited`: the thread itself ended, not its whole process. A fiber that it was
    // running can still be continued.
    void end_thread(ThreadStack& thread, uint64_t ns, bool exited);

    // After the last thread: the frames of all suspended regions stay open, and were last active when those were left.
    void end_process();

    const CallStackCounts& counts() const { return counts_; }

  private:
    struct Target {
        StackRegion* region = nullptr;  // null: not on any known region
        bool continues = false;         // then: a new region would continue the current one
        bool wait = false;
    };

    bool enter(ThreadStack& thread, const CallSymbol& call, uint32_t stack, uint64_t ns) {
        if (thread.check_enters || stack - thread.window_low > thread.window_span) [[unlikely]] {
            return enter_elsewhere(thread, call, stack, ns);
        }
        if (call.site_function != thread.current->top().function && call.site_function != kNone) [[unlikely]] {
            return enter_from_below(thread, call, stack, ns);
        }
        push(thread, call, stack, ns);
        return true;
    }

    bool exit(ThreadStack& thread, const CallSymbol& call, uint32_t stack, uint64_t ns) {
        if (thread.check_exits || stack - thread.window_low > thread.window_span) [[unlikely]] {
            return exit_elsewhere(thread, call, stack, ns);
        }
        StackRegion& region = *thread.current;
        if (region.top().function != call.function) [[unlikely]] return exit_elsewhere(thread, call, stack, ns);
        pop(thread, region, ns);
        return true;
    }

    void push(ThreadStack& thread, const CallSymbol& call, uint32_t stack, uint64_t ns) {
        StackRegion& region = *thread.current;
        pass(thread, ns);
        const PathId path = sink_.enter(region.top(), call, stack, thread);
        region.frames.push_back(
            {.call_site = call.call_site, .function = call.function, .path = path, .stack = stack, .start_ns = thread.last_ns});
        ++thread.ncalls;
    }

    void pop(ThreadStack& thread, StackRegion& region, uint64_t ns) {
        pass(thread, ns);
        end_top(region, thread.last_ns, Ending::kReturned);
        if (region.empty()) [[unlikely]] emptied(thread);
    }

    // The region's last call ends.
    void end_top(StackRegion& region, uint64_t ns, Ending ending) {
        const Frame& frame = region.top();
        Frame& below = region.frames[region.frames.size() - 2];
        const uint64_t duration = clipped(ns) - clipped(frame.start_ns) - frame.away_ns;
        below.away_ns += frame.away_ns;
        below.inner_ns += duration;
        below.descendants += frame.descendants + !frame.inherited;
        const Activation activation{duration, duration - frame.inner_ns, ns, region.thread, ending};
        if constexpr (SelectiveSink<Sink>) {
            if (const std::optional<Folded> folded = sink_.leave(frame, activation, region.take_folded())) fold_top(region, *folded);
        } else {
            sink_.leave(frame, activation);
        }
        region.frames.pop_back();
    }

    // The region's last call, which has just ended, is taken for a part of its caller.
    void fold_top(StackRegion& region, const Folded& folded)
        requires SelectiveSink<Sink>
    {
        Frame& below = region.frames[region.frames.size() - 2];
        below.inner_ns -= folded.ns;
        if (region.frames.size() == 2) return sink_.fold(below.path, folded);
        region.fold_below_top(folded);
    }

    uint64_t clipped(uint64_t ns) const {
        if constexpr (SelectiveSink<Sink>) return sink_.clip(ns);
        return ns;
    }

    // Of the time that counts, what was somebody's by the thread's last record.
    uint64_t active_ns(const ThreadStack& thread) const { return clipped(thread.last_ns) - thread.gap_ns - thread.lost_ns; }

    // Time passes up to `ns`, in the frame on top.
    void pass(ThreadStack& thread, uint64_t ns) {
        if constexpr (SelectiveSink<Sink>) return pass_clipped(thread, ns);
        const uint64_t passed = ns > thread.last_ns ? ns - thread.last_ns : 0;
        thread.last_ns += passed;
        if (!thread.current->empty()) [[likely]] {
            thread.busy_ns += passed;
        } else if (const PathId path = thread.current->top().path; path != root_) {
            thread.busy_ns += passed;
            sink_.pass(path, passed);
        }
    }

    void pass_clipped(ThreadStack& thread, uint64_t ns) {
        const uint64_t from_ns = std::exchange(thread.last_ns, std::max(thread.last_ns, ns));
        const StackRegion& region = *thread.current;
        if (region.empty() && region.top().path == root_) return;
        const uint64_t passed = clipped(thread.last_ns) - clipped(from_ns);
        thread.busy_ns += passed;
        if constexpr (SelectiveSink<Sink>) sink_.busy(thread, from_ns, thread.last_ns);
        if (region.empty()) sink_.pass(region.top().path, passed);
    }

    // Records that are not plainly on the current region (call_stack_rules.h).
    void begin(ThreadStack& thread, uint32_t stack, uint64_t ns);
    bool enter_elsewhere(ThreadStack& thread, const CallSymbol& call, uint32_t stack, uint64_t ns);
    bool enter_from_below(ThreadStack& thread, const CallSymbol& call, uint32_t stack, uint64_t ns);
    void close_above_caller(ThreadStack& thread, StackRegion& region, const CallSymbol& call);
    bool exit_elsewhere(ThreadStack& thread, const CallSymbol& call, uint32_t stack, uint64_t ns);
    void thrown(ThreadStack& thread, bool ends_thread, uint32_t stack, uint64_t ns);
    bool mark(ThreadStack& thread, format::Kind kind, uint32_t stack, uint64_t ns);
    void settle(ThreadStack& thread, const InlinedCatch::Control& control, std::span<const CallSymbol> symbols,
                std::span<const format::Event> following);
    void gap(ThreadStack& thread, uint64_t dropped, uint64_t length_ns, uint32_t stack, uint64_t ns);

    // After records were lost.
    void exit_lost(ThreadStack& thread, const CallSymbol& call, uint32_t stack, uint64_t ns);
    void doubt(StackRegion& region);
    void prove_caller(ThreadStack& thread, StackRegion& region, const CallSymbol& call, uint32_t stack);
    void put_lost(const ThreadStack& thread, StackRegion& region, const CallSymbol& call, uint32_t stack);

    static bool certainly_here(const ThreadStack& thread, uint32_t stack) {
        return stack - thread.window_low <= thread.window_span && !thread.current->empty();
    }
    // Certainly on the thread's own stack: below what was seen in use. (What lies above may be a fiber's stack in a local variable.)
    static bool surely_own(const ThreadStack& thread, uint32_t stack) {
        return thread.extent.contains(stack) && (thread.own->empty() || is_below(stack, thread.own->low));
    }
    // The thread's own stack on which nothing has been so far: it stands at the end of the extent, where no call can lie.
    static bool is_unused(const ThreadStack& thread, const StackRegion& region) { return region.high == thread.extent.high && region.empty(); }
    // `region` was suspended in memory that has become the thread's own stack, where `stack` lies, since.
    static bool precedes(const ThreadStack& thread, const StackRegion& region, uint32_t stack) {
        return &region != thread.current && region.began_ns < thread.first_ns && surely_own(thread, stack);
    }
    // Certainly not on the thread's own stack.
    static bool never_own(const ThreadStack& thread, uint32_t stack) {
        const StackExtent& extent = thread.extent;
        return extent.known() && !extent.contains(stack) && !(extent.grows && !thread.own->empty() && is_below(stack, extent.low));
    }
    RegionMap::Place around(ThreadStack& thread, uint32_t stack);
    bool is_on_own_stack(const ThreadStack& thread, const CallSymbol& call, uint32_t stack) const;
    Target own_stack(ThreadStack& thread, uint32_t stack, uint64_t ns);
    Target region_of_enter(ThreadStack& thread, const CallSymbol& call, uint32_t stack, uint64_t ns);
    Target region_of_exit(ThreadStack& thread, FunctionId function, uint32_t stack, uint64_t ns);
    Target region_of_mark(ThreadStack& thread, uint32_t stack, uint64_t ns);
    Target usable(ThreadStack& thread, StackRegion* region, uint64_t ns);

    void go_to(ThreadStack& thread, StackRegion& region);
    void open_region(ThreadStack& thread, uint32_t stack, bool continues, uint64_t ns);
    void bury(StackRegion& region);
    void leave_current(ThreadStack& thread);
    // What the current region did since control came to it, if that is the work of the frame on top of `next`, which it continues.
    struct Visit {
        uint64_t active_ns = 0;
        uint64_t descendants = 0;
    };
    Visit visit_seen_from(const ThreadStack& thread, const StackRegion& next) const;
    void arrive(ThreadStack& thread, StackRegion& region, const Visit& visit);
    void emptied(ThreadStack& thread);
    void close_continuation(ThreadStack& thread, const StackRegion& region, size_t alive, Ending ending);
    void close(ThreadStack& thread, StackRegion& region, size_t alive, Ending ending);
    void cover(ThreadStack& thread, uint32_t stack);
    void refresh(ThreadStack& thread);

    Sink& sink_;
    PathId root_;
    bool marks_on_;
    IsMorestack is_morestack_;
    SplitOffFrom split_off_from_;
    uint64_t region_count_ = 0;
    uint64_t losses_ = 0;
    RegionMap suspended_;
    InlinedCatch inlined_catch_;
    CallStackCounts counts_;
};

}  // namespace fnprof::model

#include "model/call_stack_fork.h"
#include "model/call_stack_regions.h"
#include "model/call_stack_rules.h"
