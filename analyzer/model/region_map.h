// The stack regions of one process that no thread is running on: fibers and signal stacks with calls on them. Says which region a
// stack pointer belongs to. The trace does not tell where stacks begin and end, so it is judged by distance:
//
//   inside a region's used part                            that region
//   up to kNear below it, or called from its top frame     that region, grown
//   a little above it                                      that region: its first frame had a smaller stack pointer
//   else                                                   memory not seen before
#pragma once

#include <cstdint>
#include <map>
#include <memory>

#include "model/stack_region.h"

namespace fnprof::model {

// Distances in 16-byte units.
constexpr uint32_t kNear = 16384 / 16;          // a signal frame with all vector state, or a library function between two calls
constexpr uint32_t kJustAbove = 4096 / 16;      // an exit's stack pointer, or a sibling's of the first frame
constexpr uint32_t kAroundEmpty = 65536 / 16;   // an empty region is the thread's own: nothing can be confused
constexpr uint32_t kBiggestFrame = 8388608 / 16;  // of one function; the usual size of a whole stack

class RegionMap {
  public:
    // The regions next to a stack pointer. `above` is the nearest one whose used part ends higher: stacks grow down, so it is
    // the one to have grown.
    struct Place {
        StackRegion* inside = nullptr;
        StackRegion* above = nullptr;
        StackRegion* below = nullptr;
        uint32_t above_distance = 0;  // from the stack pointer up to the used part
        uint32_t below_distance = 0;  // from the used part up to the stack pointer
    };

    // Among the suspended regions and the two that the asking thread has, its current one and its own stack; null: not that one.
    Place around(uint32_t stack, StackRegion* current, StackRegion* own) const;

    void suspend(std::unique_ptr<StackRegion> region);
    bool holds(const StackRegion& region) const;
    std::unique_ptr<StackRegion> resume(const StackRegion& region);
    std::unique_ptr<StackRegion> resume(uint64_t id, uint32_t high);  // null: not suspended

    // End of the nearest suspended region or own stack below `region`: how far down it can reach.
    uint32_t room_below(const StackRegion& region, const StackRegion& own) const;

    bool empty() const { return regions_.empty(); }
    size_t size() const { return regions_.size(); }

    template <class Function>
    void for_each(Function&& function) const {
        for (const auto& [high, region] : regions_) function(*region);
    }

    template <class Function>
    void take_all(Function&& function) {
        for (auto& [high, region] : regions_) function(*region);
        regions_.clear();
    }

  private:
    using Regions = std::multimap<uint32_t, std::unique_ptr<StackRegion>>;  // by `high`
    Regions::const_iterator find(uint64_t id, uint32_t high) const;

    Regions regions_;
};

}  // namespace fnprof::model
