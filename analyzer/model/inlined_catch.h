// Which of several functions in one machine frame got control: by catching an exception, or by longjmp.
//
// When functions are inlined into one another, their calls share one machine frame, and a mark names the frame, not the function.
// clang gives no exit to a function that an exception left, so if g is inlined into f and calls h, which throws, then after the
// catch both look alive:
//
//   ENTER f  sp 100      ENTER g  sp 100 (inlined)      ENTER h  sp 90      THROW      CATCH sp 100      ENTER next ...
//
// gcc does give the exit, so what its code has in that frame is alive; which compiler a function comes from shows when exceptions leave
// it. And the catcher, or the caller of setjmp, may be a function that is not instrumented, into which all of them are inlined: then none of
// them is alive.
//
// What happens next may tell: if the exit of g comes before that of f, g caught the exception and went on; if that of f does, g is
// gone; and if the exit of their caller comes first, both are. So we look ahead, no further than kLookAhead records: next to what an
// exception costs the program that is little. And the place that gets control tells once it is known whose it is: the same handler,
// or return of setjmp, always belongs to the same function.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>

#include "format/decoder.h"
#include "model/stack_region.h"

namespace fnprof::model {

constexpr size_t kLookAhead = 2048;

class InlinedCatch {
  public:
    // An exception left a call of the function: with an exit on the way, or without one.
    void left(FunctionId function, bool with_exit);

    // What got control: the machine frame at `stack`, at the address `place`; 0 if that is not known.
    struct Control {
        format::Kind kind;  // kCatch or kLongjmp
        uint32_t stack;
        uint64_t place;
    };

    // `frames` share that machine frame, outermost first; `caller` is the function that they were called from, kNone if there is none.
    // Number of them that are alive; all if nothing tells.
    size_t alive(std::span<const Frame> frames, FunctionId caller, const Control& control, std::span<const CallSymbol> symbols,
                 std::span<const format::Event> following);

  private:
    struct Known {
        FunctionId function = kNone;  // kNone: none that is instrumented
        bool told = false;
        uint32_t fruitless = 0;  // times that looking ahead did not tell
    };
    // Frames that would have exits if they were gone.
    size_t surely_alive(std::span<const Frame> frames) const;

    std::unordered_map<uint64_t, Known> places_;
    std::unordered_map<FunctionId, bool> exits_;  // functions that exceptions have left: with exits?
    bool some_with_exits_ = false;
    bool some_without_ = false;
};

}  // namespace fnprof::model
