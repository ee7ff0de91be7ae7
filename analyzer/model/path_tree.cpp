#include "model/path_tree.h"

#include <stdexcept>
#include <utility>

namespace fnprof::model {

PathId PathTree::find_or_add(PathId parent, FunctionId function) {
    const size_t mask = slots_.size() - 1;
    size_t slot = hash(parent, function) & mask;
    for (; slots_[slot] != kRoot; slot = (slot + 1) & mask) {
        const Node& node = nodes_[slots_[slot]];
        if (node.function == function && node.parent == parent) return slots_[slot];
    }
    if (nodes_.size() >= kNone) throw std::length_error("more than 4294967295 distinct call paths");
    const PathId path = static_cast<PathId>(nodes_.size());
    nodes_.push_back({.function = function, .parent = parent});
    slots_[slot] = path;
    if (nodes_.size() * kSlotsPerNode > slots_.size()) grow();
    return path;
}

void PathTree::grow() {
    std::vector<PathId> slots(slots_.size() * 2, kRoot);
    const size_t mask = slots.size() - 1;
    for (PathId path = 1; path < nodes_.size(); ++path) {
        size_t slot = hash(nodes_[path].parent, nodes_[path].function) & mask;
        while (slots[slot] != kRoot) slot = (slot + 1) & mask;
        slots[slot] = path;
    }
    slots_ = std::move(slots);
}

}  // namespace fnprof::model
