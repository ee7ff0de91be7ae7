#include "report/folded_tree.h"

#include <unordered_map>
#include <utility>

namespace fnprof::report {

namespace {

// A node that stands for more than one path.
class Nodes {
  public:
    // Its number; children by (parent, function).
    uint32_t find_or_add(uint32_t parent, model::FunctionId function) {
        const auto [place, fresh] = children_.try_emplace(uint64_t{parent} << 32 | function, static_cast<uint32_t>(nodes.size()));
        if (fresh) nodes.push_back({parent, function, 0, 0, {}});
        return place->second;
    }
    // Parents stand before their children.
    void cumulate() {
        for (size_t i = nodes.size(); i-- > 0;) {
            model::Cost& cost = nodes[i].cost;
            cost.cumulative_ns += cost.self_ns;
            cost.cumulative_hook_ps += cost.self_hook_ps;
            if (nodes[i].parent == model::kNone) continue;
            nodes[nodes[i].parent].cost.cumulative_ns += cost.cumulative_ns;
            nodes[nodes[i].parent].cost.cumulative_hook_ps += cost.cumulative_hook_ps;
        }
    }
    std::vector<FoldedPath> nodes;

  private:
    std::unordered_map<uint64_t, uint32_t> children_;
};

}  // namespace

std::vector<FoldedPath> fold_recursion(const model::Profile& profile) {
    Nodes folded;
    std::vector<FoldedPath>& nodes = folded.nodes;
    std::vector<uint32_t> node_of(profile.paths.size(), model::kNone);
    for (size_t id = 0; id < profile.paths.size(); ++id) {
        const model::CallPath& path = profile.paths[id];
        const uint32_t parent = path.parent == model::kNone ? model::kNone : node_of[path.parent];
        uint32_t node = parent;
        while (node != model::kNone && nodes[node].function != path.function) node = nodes[node].parent;
        const bool recursive = node != model::kNone;
        if (!recursive) node = folded.find_or_add(parent, path.function);
        node_of[id] = node;
        (recursive ? nodes[node].recursive_calls : nodes[node].ncalls) += path.ncalls;
        nodes[node].cost.self_ns += path.cost.self_ns;
        nodes[node].cost.self_hook_ps += path.cost.self_hook_ps;
    }
    folded.cumulate();
    return std::move(nodes);
}

std::vector<FoldedPath> invert(const std::vector<FoldedPath>& nodes) {
    Nodes inverted;
    for (const FoldedPath& path : nodes) {
        uint32_t at = model::kNone;
        for (const FoldedPath* step = &path;; step = &nodes[step->parent]) {
            at = inverted.find_or_add(at, step->function);
            inverted.nodes[at].ncalls += path.ncalls;
            inverted.nodes[at].recursive_calls += path.recursive_calls;
            if (step->parent == model::kNone) break;
        }
        inverted.nodes[at].cost.self_ns += path.cost.self_ns;
        inverted.nodes[at].cost.self_hook_ps += path.cost.self_hook_ps;
    }
    inverted.cumulate();
    return std::move(inverted.nodes);
}

}  // namespace fnprof::report
