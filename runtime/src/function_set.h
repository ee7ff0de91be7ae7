// The functions seen: (address, module) pairs, open addressing over the address. The collector enters those of each block;
// at the end the symbol tables are matched against it.
//
// Context: collector, slow path, end, under the metadata lock; signal-safe.
#pragma once

#include "memory.h"
#include "modules.h"

namespace fnprof::rt {

struct SeenFunction {
    uint64_t address;  // 0: empty place
    uint32_t module;   // 0: in no file
    bool named;        // its name is in the trace, or there is none
};
static_assert(sizeof(SeenFunction) == 16);

// Invariant: the capacity is a power of two and less than 3/4 full. Pairs with the same address lie in one probe chain.
class FunctionSet {
  public:
    // A function that ran between first_ticks and last_ticks: entered for each module that held its address then. Reads the
    // maps (through `modules`) when no module is known to. Meant to be called for every function of every block: the
    // common case, known and loaded all along, is one probe. False: no memory, the function will have no name.
    bool note(Modules& modules, uint64_t address, uint64_t first_ticks, uint64_t last_ticks, uint64_t now_ticks);

    // Enters a pair; again is fine.
    bool add(uint64_t address, uint32_t module);

    // The place of a pair, or nullptr. Lasts until the next add.
    SeenFunction* find(uint64_t address, uint32_t module);

    size_t count() const { return count_; }
    size_t capacity() const { return capacity_; }
    SeenFunction& at(size_t place) { return places()[place]; }

  private:
    SeenFunction* places() const { return reinterpret_cast<SeenFunction*>(memory_.data()); }
    // Fibonacci hashing: function addresses are multiples of 16, their low bits say nothing.
    size_t first_place(uint64_t address) const { return address * 0x9E3779B97F4A7C15u >> shift_; }
    size_t next_place(size_t place) const { return (place + 1) & (capacity_ - 1); }
    bool grow();

    GrowingMemory memory_;
    size_t capacity_ = 0;
    size_t count_ = 0;
    unsigned shift_ = 64;
};

}  // namespace fnprof::rt
