#include "report/folded_tree.h"

#include <unordered_map>

namespace fnprof::report {

std::vector<FoldedPath> fold_recursion(const model::Profile& profile) {
    std::vector<FoldedPath> nodes;
    std::vector<uint32_t> node_of(profile.paths.size(), model::kNone);
    // Children by (parent node, function). Parents stand before their children, so one pass is enough.
    std::unordered_map<uint64_t, uint32_t> children;

    for (size_t id = 0; id < profile.paths.size(); ++id) {
        const model::CallPath& path = profile.paths[id];
        const uint32_t parent = path.parent == model::kNone ? model::kNone : node_of[path.parent];
        uint32_t node = parent;
        while (node != model::kNone && nodes[node].function != path.function) node = nodes[node].parent;
        const bool recursive = node != model::kNone;
        if (!recursive) {
            const uint64_t key = uint64_t{parent} << 32 | path.function;
            const auto [place, fresh] = children.try_emplace(key, static_cast<uint32_t>(nodes.size()));
            if (fresh) nodes.push_back({parent, path.function, 0, 0, {}});
            node = place->second;
        }
        node_of[id] = node;
        (recursive ? nodes[node].recursive_calls : nodes[node].ncalls) += path.ncalls;
        nodes[node].cost.self_ns += path.cost.self_ns;
        nodes[node].cost.self_hook_ps += path.cost.self_hook_ps;
    }
    for (size_t i = nodes.size(); i-- > 0;) {
        model::Cost& cost = nodes[i].cost;
        cost.cumulative_ns += cost.self_ns;
        cost.cumulative_hook_ps += cost.self_hook_ps;
        if (nodes[i].parent == model::kNone) continue;
        nodes[nodes[i].parent].cost.cumulative_ns += cost.cumulative_ns;
        nodes[nodes[i].parent].cost.cumulative_hook_ps += cost.cumulative_hook_ps;
    }
    return nodes;
}

}  // namespace fnprof::report
