#include "model/region_map.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace fnprof::model {

namespace {

constexpr uint32_t kSharedMemory = 65536 / 16;  // how far apart the tops of two stacks are looked for in the same memory

void consider(StackRegion& region, uint32_t stack, RegionMap::Place& place) {
    if (stack - region.low <= region.high - region.low) {
        if (place.inside == nullptr) place.inside = &region;
    } else if (is_below(stack, region.low)) {
        const uint32_t distance = region.low - stack;
        if (place.above == nullptr || distance < place.above_distance) {
            place.above = &region;
            place.above_distance = distance;
        }
    } else {
        const uint32_t distance = stack - region.high;
        if (place.below == nullptr || distance < place.below_distance) {
            place.below = &region;
            place.below_distance = distance;
        }
    }
}

}  // namespace

RegionMap::Place RegionMap::around(uint32_t stack, StackRegion* current, StackRegion* own) const {
    Place place;
    // Frames before memory: a thread may begin on a fiber, and then its own empty region was made where the fiber lies.
    if (current != nullptr && !current->empty()) consider(*current, stack, place);
    if (!regions_.empty()) {
        const auto higher = regions_.lower_bound(stack);
        if (higher != regions_.end()) consider(*higher->second, stack, place);
        // Of several that had this memory one after the other, the last.
        for (auto next = higher; (current == nullptr || place.inside != current) && next != regions_.end() && next->first - stack <= kSharedMemory; ++next) {
            StackRegion& other = *next->second;
            const bool inside = stack - other.low <= other.high - other.low;
            if (inside && (place.inside == nullptr || place.inside->began_ns < other.began_ns)) place.inside = &other;
        }
        if (higher != regions_.begin()) consider(*std::prev(higher)->second, stack, place);
    }
    if (current != nullptr && current->empty()) consider(*current, stack, place);
    if (own != nullptr && own != current) consider(*own, stack, place);
    return place;
}

void RegionMap::suspend(std::unique_ptr<StackRegion> region) {
    const uint32_t high = region->high;
    regions_.emplace(high, std::move(region));
}

RegionMap::Regions::const_iterator RegionMap::find(uint64_t id, uint32_t high) const {
    const auto [first, last] = regions_.equal_range(high);
    const auto found = std::find_if(first, last, [id](const auto& entry) { return entry.second->id == id; });
    return found == last ? regions_.end() : found;
}

bool RegionMap::holds(const StackRegion& region) const { return find(region.id, region.high) != regions_.end(); }

std::unique_ptr<StackRegion> RegionMap::resume(const StackRegion& region) { return resume(region.id, region.high); }

std::unique_ptr<StackRegion> RegionMap::resume(uint64_t id, uint32_t high) {
    const auto found = find(id, high);
    if (found == regions_.end()) return nullptr;
    return std::move(regions_.extract(found).mapped());
}

uint32_t RegionMap::room_below(const StackRegion& region, const StackRegion& own) const {
    uint32_t room = kNear;
    const auto limit = [&](const StackRegion& other) {
        if (&other != &region && is_below(other.high, region.low)) room = std::min(room, region.low - other.high - 1);
    };
    limit(own);
    if (const auto higher = regions_.lower_bound(region.low); higher != regions_.begin()) limit(*std::prev(higher)->second);
    return room;
}

}  // namespace fnprof::model
