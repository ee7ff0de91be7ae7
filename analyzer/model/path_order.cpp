#include "model/path_order.h"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace fnprof::model {

std::vector<PathId> sort_paths(std::vector<CallPath>& paths) {
    std::vector<PathId> order(paths.size());
    std::iota(order.begin(), order.end(), 0u);
    // Siblings lie together, roots first (kNone + 1 is 0), the greatest first: they are taken from a stack.
    std::ranges::sort(order, [&](PathId a, PathId b) {
        if (paths[a].parent != paths[b].parent) return paths[a].parent + 1 < paths[b].parent + 1;
        return std::tie(paths[a].function, paths[a].site) > std::tie(paths[b].function, paths[b].site);
    });
    std::vector<PathId> first_child(paths.size() + 1, kNone);  // by parent + 1, index into `order`
    for (size_t i = order.size(); i-- > 0;) first_child[paths[order[i]].parent + 1] = static_cast<PathId>(i);
    std::vector<PathId> stack;
    const auto push_children = [&](PathId parent) {
        for (size_t i = first_child[parent + 1]; i < order.size() && paths[order[i]].parent == parent; ++i) stack.push_back(order[i]);
    };
    std::vector<PathId> renumbered(paths.size());
    std::vector<CallPath> sorted;
    sorted.reserve(paths.size());
    push_children(kNone);
    while (!stack.empty()) {
        const PathId old = stack.back();
        stack.pop_back();
        renumbered[old] = static_cast<PathId>(sorted.size());
        sorted.push_back(paths[old]);
        sorted.back().parent = paths[old].parent == kNone ? kNone : renumbered[paths[old].parent];
        push_children(old);
    }
    paths = std::move(sorted);
    return renumbered;
}

}  // namespace fnprof::model
