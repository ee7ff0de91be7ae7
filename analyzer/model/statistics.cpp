#include "model/statistics.h"

#include <algorithm>
#include <unordered_map>

namespace fnprof::model {

void add_up_paths(std::vector<CallPath>& paths) {
    for (CallPath& path : paths) {
        path.cost.cumulative_ns = path.cost.self_ns;
        path.cost.cumulative_hook_ps = path.cost.self_hook_ps;
    }
    for (size_t i = paths.size(); i-- > 0;) {
        if (paths[i].parent == kNone) continue;
        Cost& above = paths[paths[i].parent].cost;
        above.cumulative_ns += paths[i].cost.cumulative_ns;
        above.cumulative_hook_ps += paths[i].cost.cumulative_hook_ps;
    }
}

namespace {

std::vector<CallPath> paths_of(const TreeSink& calls) {
    const auto nodes = calls.tree().nodes();
    const HookCost hook = calls.hook();
    std::vector<CallPath> paths(nodes.size() - 1);
    // Path i is node i + 1; children have greater numbers than their parents.
    for (size_t i = 0; i < paths.size(); ++i) {
        const PathTree::Node& node = nodes[i + 1];
        const PathId parent = node.parent == PathTree::kRoot ? kNone : node.parent - 1;
        paths[i] = {.parent = parent, .function = node.function, .ncalls = node.ncalls};
        paths[i].durations = calls.tree().durations(static_cast<PathId>(i + 1));
        paths[i].cost.self_ns = node.self_ns;
        paths[i].cost.self_hook_ps += hook.inner_ps * node.ncalls + (hook.inner_ps + hook.outer_ps) * calls.folded_calls(static_cast<PathId>(i + 1));
        if (parent != kNone) paths[parent].cost.self_hook_ps += hook.outer_ps * node.ncalls;
    }
    add_up_paths(paths);
    return paths;
}

// The paths in depth-first order, with what is active above each.
class Walk {
  public:
    Walk(const std::vector<CallPath>& paths, Profile& profile) : paths_(paths), profile_(profile), active_(profile.stats.size()) {
        link_children();
        number_edges();
    }

    void run() {
        PathId path = first_root_;
        while (path != kNone) {
            arrive(path);
            if (first_child_[path] != kNone) {
                path = first_child_[path];
                continue;
            }
            while (path != kNone) {
                depart(path);
                if (next_sibling_[path] != kNone) {
                    path = next_sibling_[path];
                    break;
                }
                path = paths_[path].parent;
            }
        }
        std::ranges::sort(profile_.edges, [](const Edge& a, const Edge& b) {
            return a.caller != b.caller ? a.caller < b.caller : a.callee < b.callee;
        });
    }

  private:
    void link_children() {
        first_child_.assign(paths_.size(), kNone);
        next_sibling_.assign(paths_.size(), kNone);
        for (size_t i = paths_.size(); i-- > 0;) {
            PathId& first = paths_[i].parent == kNone ? first_root_ : first_child_[paths_[i].parent];
            next_sibling_[i] = first;
            first = static_cast<PathId>(i);
        }
    }

    void number_edges() {
        std::unordered_map<uint64_t, uint32_t> numbers;
        edge_of_.resize(paths_.size());
        for (size_t i = 0; i < paths_.size(); ++i) {
            const FunctionId callee = paths_[i].function;
            const FunctionId caller = paths_[i].parent == kNone ? kNone : paths_[paths_[i].parent].function;
            const auto [entry, added] = numbers.try_emplace(static_cast<uint64_t>(caller) << 32 | callee,
                                                            static_cast<uint32_t>(profile_.edges.size()));
            if (added) profile_.edges.push_back({.caller = caller, .callee = callee});
            edge_of_[i] = entry->second;
        }
        edge_active_.assign(profile_.edges.size(), 0);
    }

    template <class Stats>
    static void add(Stats& stats, const CallPath& path, bool outermost) {
        stats.ncalls += path.ncalls;
        stats.cost.self_ns += path.cost.self_ns;
        stats.cost.self_hook_ps += path.cost.self_hook_ps;
        stats.durations.add(path.durations);
        if (!outermost) return;
        stats.primitive_calls += path.ncalls;
        stats.cost.cumulative_ns += path.cost.cumulative_ns;
        stats.cost.cumulative_hook_ps += path.cost.cumulative_hook_ps;
    }

    void arrive(PathId path) {
        const CallPath& here = paths_[path];
        const uint32_t edge = edge_of_[path];
        add(profile_.stats[here.function], here, active_[here.function]++ == 0);
        add(profile_.edges[edge], here, edge_active_[edge]++ == 0);
    }

    void depart(PathId path) {
        --active_[paths_[path].function];
        --edge_active_[edge_of_[path]];
    }

    const std::vector<CallPath>& paths_;
    Profile& profile_;
    PathId first_root_ = kNone;
    std::vector<PathId> first_child_;
    std::vector<PathId> next_sibling_;
    std::vector<uint32_t> edge_of_;
    std::vector<uint32_t> edge_active_;
    std::vector<uint32_t> active_;
};

}  // namespace

void derive_from_paths(Profile& profile) {
    profile.stats.assign(profile.functions.size(), {});
    profile.edges.clear();
    Walk(profile.paths, profile).run();
}

void derive_statistics(const TreeSink& calls, Profile& profile) {
    profile.paths = paths_of(calls);
    derive_from_paths(profile);
    const auto& endings = calls.endings();
    for (size_t i = 0; i < endings.size(); ++i) {
        profile.stats[i].open_calls = endings[i].open;
        profile.stats[i].unwound_calls = endings[i].unwound;
    }
    for (Edge& edge : profile.edges) {
        edge.histogram = calls.histogram(edge.caller, edge.callee);
        profile.stats[edge.callee].histogram.add(edge.histogram);
    }
    for (FunctionId id = 0; id < profile.stats.size(); ++id) {
        FunctionStats& stats = profile.stats[id];
        if (const CallInstance* first = calls.extremes().first(id)) stats.first = {1, first->duration_ns};
        stats.slowest = calls.extremes().slowest(id);
        for (CallInstance& call : stats.slowest) --call.path;  // path i is node i + 1
    }
}

}  // namespace fnprof::model
