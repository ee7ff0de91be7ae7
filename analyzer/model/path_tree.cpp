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
    const PathId path = add(parent, function);
    slots_[slot] = path;
    if (nodes_.size() * kSlotsPerNode > slots_.size()) grow();
    return path;
}

PathId PathTree::add(PathId parent, FunctionId function) {
    if (nodes_.size() >= kNone) throw std::length_error("more than 4294967295 distinct call paths");
    const PathId path = static_cast<PathId>(nodes_.size());
    Node& node = nodes_.emplace_back();
    node.function = function;
    node.parent = parent;
    return path;
}

void PathTree::add_long(PathId path, uint64_t ns) {
    const auto [entry, added] = long_.try_emplace(path, Long{ns, ns});
    if (added) return;
    entry->second.least_ns = std::min(entry->second.least_ns, ns);
    entry->second.most_ns = std::max(entry->second.most_ns, ns);
}

Durations PathTree::durations(PathId path) const {
    const Node& node = nodes_[path];
    const auto without = without_duration_.find(path);
    Durations result{.calls = node.ncalls - (without == without_duration_.end() ? 0 : without->second),
                     .sum_ns = node.sum_ns,
                     .sum_of_squares = node.sum_of_squares};
    if (node.least_ns != kLong) {
        result.least_ns = node.least_ns;
        result.most_ns = node.most_ns;
    }
    if (const auto found = long_.find(path); found != long_.end()) {
        result.least_ns = std::min(result.least_ns, found->second.least_ns);
        result.most_ns = found->second.most_ns;
    }
    return result;
}

void PathTree::grow() {
    std::vector<PathId> slots(slots_.size() * 2, kRoot);
    const size_t mask = slots.size() - 1;
    for (const PathId path : slots_) {
        if (path == kRoot) continue;
        size_t slot = hash(nodes_[path].parent, nodes_[path].function) & mask;
        while (slots[slot] != kRoot) slot = (slot + 1) & mask;
        slots[slot] = path;
    }
    slots_ = std::move(slots);
}

}  // namespace fnprof::model
