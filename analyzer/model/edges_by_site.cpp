#include "model/edges_by_site.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace fnprof::model {

std::vector<SiteEdge> edges_by_site(const Profile& profile, std::span<const uint32_t> place_of) {
    std::map<std::tuple<FunctionId, FunctionId, uint32_t>, uint32_t> numbers;
    std::vector<SiteEdge> edges;
    std::vector<uint32_t> active;  // by edge: how many of the paths from here up to the root are of it
    struct Step {
        PathId path;
        uint32_t edge;
    };
    std::vector<Step> way;  // a merged profile has its paths depth first
    for (PathId id = 0; id < profile.paths.size(); ++id) {
        const CallPath& path = profile.paths[id];
        while (!way.empty() && way.back().path != path.parent) {
            --active[way.back().edge];
            way.pop_back();
        }
        const FunctionId caller = path.parent == kNone ? kNone : profile.paths[path.parent].function;
        const uint32_t place = path.site == kNone ? kNone : place_of[path.site];
        const auto [entry, added] = numbers.try_emplace({path.function, caller, place}, static_cast<uint32_t>(edges.size()));
        if (added) {
            edges.push_back({.caller = caller, .callee = path.function, .place = place});
            active.push_back(0);
        }
        SiteEdge& edge = edges[entry->second];
        edge.ncalls += path.ncalls;
        edge.cost.self_ns += path.cost.self_ns;
        edge.cost.self_hook_ps += path.cost.self_hook_ps;
        if (active[entry->second]++ == 0) {
            edge.primitive_calls += path.ncalls;
            edge.cost.cumulative_ns += path.cost.cumulative_ns;
            edge.cost.cumulative_hook_ps += path.cost.cumulative_hook_ps;
        }
        way.push_back({id, entry->second});
    }
    std::ranges::sort(edges, {}, [](const SiteEdge& edge) { return std::tuple(edge.callee, edge.caller, edge.place); });
    return edges;
}

}  // namespace fnprof::model
