#include "runs.h"

#include <algorithm>
#include <map>

namespace fnprof::compare::test {
namespace {

using model::FunctionId;
using model::kNone;
using model::PathId;

void add(model::Cost& cost, const model::Cost& path, bool outermost) {
    cost.self_ns += path.self_ns;
    if (outermost) cost.cumulative_ns += path.cumulative_ns;
}

std::string parent_of(const std::string& path) {
    const size_t slash = path.rfind('/');
    return slash == std::string::npos ? std::string() : path.substr(0, slash);
}

// Edges and the functions' sums, by the definitions of model/profile.h.
void fill(model::Profile& profile) {
    profile.stats.resize(profile.functions.size());
    const auto caller_of = [&](PathId id) { return id == kNone ? kNone : profile.paths[id].function; };
    std::map<std::pair<FunctionId, FunctionId>, model::Edge> edges;
    for (const model::CallPath& path : profile.paths) {
        const FunctionId caller = caller_of(path.parent);
        bool outermost = true, edge_outermost = true;
        for (PathId at = path.parent; at != kNone; at = profile.paths[at].parent) {
            if (profile.paths[at].function != path.function) continue;
            outermost = false;
            if (caller_of(profile.paths[at].parent) == caller) edge_outermost = false;
        }
        model::FunctionStats& stats = profile.stats[path.function];
        stats.ncalls += path.ncalls;
        stats.primitive_calls += outermost ? path.ncalls : 0;
        add(stats.cost, path.cost, outermost);
        model::Edge& edge = edges[{caller, path.function}];
        edge.caller = caller;
        edge.callee = path.function;
        edge.ncalls += path.ncalls;
        edge.primitive_calls += edge_outermost ? path.ncalls : 0;
        add(edge.cost, path.cost, edge_outermost);
    }
    for (const auto& [ends, edge] : edges) profile.edges.push_back(edge);
}

}  // namespace

Run run_of(const std::vector<PathRow>& rows, uint8_t build) {
    Run run;
    run.profile.modules.push_back({"/bin/app", {build}});
    std::map<std::string, FunctionId> functions;
    std::map<std::string, PathId> paths;
    for (const PathRow& row : rows) {
        const std::string name = model::file_name(row.path);
        const auto [entry, added] = functions.try_emplace(name, static_cast<FunctionId>(functions.size()));
        if (added) {
            run.profile.functions.push_back({0, 16 * uint64_t{entry->second}, name});
            run.functions.push_back({"/bin/app", {build}, 16 * uint64_t{entry->second}, name, "/src/app.c"});
        }
        const std::string parent = parent_of(row.path);
        paths[row.path] = static_cast<PathId>(run.profile.paths.size());
        run.profile.paths.push_back({parent.empty() ? kNone : paths.at(parent), entry->second, row.ncalls, {row.self_ns, row.self_ns, 0, 0}, {}});
    }
    for (size_t i = rows.size(); i-- > 0;) {
        const model::CallPath& path = run.profile.paths[i];
        if (path.parent != kNone) run.profile.paths[path.parent].cost.cumulative_ns += path.cost.cumulative_ns;
    }
    fill(run.profile);
    return run;
}

FunctionId number_of(const Run& run, const std::string& name) {
    return static_cast<FunctionId>(std::ranges::find(run.profile.functions, name, &model::Function::mangled) - run.profile.functions.begin());
}

FunctionId id_of(const Aligned& runs, const std::string& name) {
    for (const Side side : {kA, kB}) {
        const auto& functions = runs.total[side].functions;
        const auto found = std::ranges::find(functions, name, &model::Function::mangled);
        if (found != functions.end()) return static_cast<FunctionId>(found - functions.begin());
    }
    return kNone;
}

}  // namespace fnprof::compare::test
