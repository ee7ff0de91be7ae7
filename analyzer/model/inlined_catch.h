// Which of several functions in one machine frame caught an exception.
//
// When functions are inlined into one another, their calls share one machine frame, and the mark of a catch names the frame, not the
// function. clang gives no exit to a function that the exception left, so if g is inlined into f and calls h, which throws, then after
// the catch both look alive:
//
//   ENTER f  sp 100      ENTER g  sp 100 (inlined)      ENTER h  sp 90      THROW      CATCH sp 100      ENTER next ...
//
// What happens next may tell: if the exit of g comes before that of f, g caught the exception and went on, else f did and g is gone. So
// we look ahead, no further than kLookAhead records: next to what an exception costs the program that is little. And the handler's
// address tells once it is known whose it is: the same handler always belongs to the same function.
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
    // `frames` share the machine frame at `stack`, outermost first; control has got to the handler at `handler`. Number of them that are
    // alive: at least one, all if nothing tells.
    size_t alive(std::span<const Frame> frames, uint32_t stack, uint64_t handler, std::span<const CallSymbol> symbols,
                 std::span<const format::Event> following);

  private:
    std::unordered_map<uint64_t, FunctionId> catchers_;  // by handler
};

}  // namespace fnprof::model
