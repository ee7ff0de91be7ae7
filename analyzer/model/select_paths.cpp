#include "model/select_paths.h"

#include <algorithm>
#include <map>
#include <utility>

#include "model/call_sites.h"
#include "model/path_order.h"
#include "model/path_tree.h"
#include "model/slowest_calls.h"
#include "model/statistics.h"

namespace fnprof::model {

namespace {

// What becomes of a path's own calls and time.
enum class Part {
    kStays,
    kGoes,   // the path itself stays where others that do hang from it
    kFolds,  // time into the path above, where the path then is
};

struct Rule {
    std::vector<Part> parts;                   // by path
    std::vector<bool> begins = {};             // by path: it hangs from nothing; empty: none does anew
    const std::vector<FunctionId>* group_of = nullptr;  // null: each function is its own
};

void add_self(CallPath& to, const CallPath& path) {
    to.cost.self_ns += path.cost.self_ns;
    to.cost.self_hook_ps += path.cost.self_hook_ps;
}

using EdgeKey = std::pair<FunctionId, FunctionId>;

EdgeKey edge_of(const std::vector<CallPath>& paths, PathId path) {
    return {paths[path].parent == kNone ? kNone : paths[paths[path].parent].function, paths[path].function};
}

// Calls that stayed of a function or an edge.
struct Kept {
    uint64_t ncalls = 0;
    uint64_t durations = 0;
    void add(const CallPath& path) {
        ncalls += path.ncalls;
        durations += path.durations.calls;
    }
    template <class Stats>
    bool all_of(const Stats& whole) const {
        return whole.distribution_known && ncalls == whole.ncalls && durations == whole.durations.calls;
    }
    bool any() const { return ncalls != 0 || durations != 0; }
};

class Rebuild {
  public:
    Rebuild(const Profile& from, const Rule& rule) : from_(from), rule_(rule) {}

    // `groups` replaces the functions if the rule has groups.
    Profile run(size_t groups) {
        result_.modules = from_.modules;
        result_.functions = from_.functions;
        if (rule_.group_of != nullptr) {
            result_.functions.assign(groups, {});
            for (size_t i = 0; i < groups; ++i) result_.functions[i].offset = i;
        }
        result_.call_sites = from_.call_sites;
        result_.processes = from_.processes;
        result_.threads = from_.threads;
        result_.integrity = from_.integrity;
        result_.reductions = from_.reductions;
        for (Process& process : result_.processes) {
            for (FunctionId& function : process.fork_stack) function = group(function);
        }
        make_paths();
        drop_unused();
        add_up_paths(result_.paths);
        derive_from_paths(result_);
        keep_of_functions();
        keep_of_edges();
        return std::move(result_);
    }

    Weight folded() const { return folded_; }

  private:
    FunctionId group(FunctionId function) const { return rule_.group_of == nullptr ? function : (*rule_.group_of)[function]; }

    void make_paths() {
        PathTree shape;  // node i + 1 is path i
        SitedPaths sited;
        std::vector<PathId> nodes(from_.paths.size());
        for (PathId i = 0; i < from_.paths.size(); ++i) {
            const CallPath& path = from_.paths[i];
            const bool begins = path.parent == kNone || (!rule_.begins.empty() && rule_.begins[i]);
            const PathId above = begins ? PathTree::kRoot : nodes[path.parent];
            if (rule_.parts[i] == Part::kFolds) {
                nodes[i] = above;
                folded_ += {path.ncalls, path.cost.self_ns, path.cost.self_hook_ps};
                if (above == PathTree::kRoot) continue;
                add_self(result_.paths[above - 1], path);
                used_[above - 1] = true;
                continue;
            }
            // Where a call comes from is in its caller; another one's code says nothing about the caller that it has now.
            const uint32_t site = begins ? (path.parent == kNone ? path.site : kNone) : rule_.parts[path.parent] == Part::kFolds ? kNone : path.site;
            const FunctionId function = group(path.function);
            const PathId node = nodes[i] = site == kNone ? shape.child(above, function) : sited.child(shape, above, function, site);
            if (node > result_.paths.size()) {
                result_.paths.push_back({.parent = above == PathTree::kRoot ? kNone : above - 1, .function = function, .site = site});
                used_.push_back(false);
            }
            if (rule_.parts[i] == Part::kGoes) continue;
            CallPath& to = result_.paths[node - 1];
            to.ncalls += path.ncalls;
            to.durations.add(path.durations);
            add_self(to, path);
            used_[node - 1] = true;
        }
        now_ = std::move(nodes);
        for (PathId& path : now_) path = path == PathTree::kRoot ? kNone : path - 1;
    }

    void drop_unused() {
        std::vector<CallPath>& paths = result_.paths;
        for (size_t i = paths.size(); i-- > 0;) {
            if (used_[i] && paths[i].parent != kNone) used_[paths[i].parent] = true;
        }
        std::vector<PathId> numbers(paths.size(), kNone);
        PathId kept = 0;
        for (PathId i = 0; i < paths.size(); ++i) {
            if (!used_[i]) continue;
            numbers[i] = kept;
            CallPath path = paths[i];
            if (path.parent != kNone) path.parent = numbers[path.parent];
            paths[kept++] = path;
        }
        paths.resize(kept);
        const std::vector<PathId> order = sort_paths(paths);
        for (PathId& path : now_) path = path == kNone || numbers[path] == kNone ? kNone : order[numbers[path]];
    }

    void keep_of_functions() {
        std::vector<Kept> kept(from_.functions.size());
        for (PathId i = 0; i < from_.paths.size(); ++i) {
            if (rule_.parts[i] == Part::kStays) kept[from_.paths[i].function].add(from_.paths[i]);
        }
        std::vector<unsigned> sources(result_.stats.size());
        for (FunctionId id = 0; id < kept.size(); ++id) {
            FunctionStats& stats = result_.stats[group(id)];
            sources[group(id)] += kept[id].any();
            stats.distribution_known &= !kept[id].any() || kept[id].all_of(from_.stats[id]);
        }
        for (FunctionId id = 0; id < kept.size(); ++id) {
            FunctionStats& stats = result_.stats[group(id)];
            if (!stats.distribution_known || !kept[id].any()) continue;
            const FunctionStats& whole = from_.stats[id];
            stats.open_calls += whole.open_calls;
            stats.unwound_calls += whole.unwound_calls;
            stats.histogram.add(whole.histogram);
            if (sources[group(id)] == 1) stats.first = whole.first;
            for (CallInstance call : whole.slowest) {
                call.path = now_[call.path];
                keep_slowest(stats.slowest, call);
            }
        }
    }

    void keep_of_edges() {
        std::map<std::pair<EdgeKey, EdgeKey>, Kept> kept;  // by edge now, and edge before
        for (PathId i = 0; i < from_.paths.size(); ++i) {
            if (rule_.parts[i] == Part::kStays) kept[{edge_of(result_.paths, now_[i]), edge_of(from_.paths, i)}].add(from_.paths[i]);
        }
        const auto find = [](auto& edges, const EdgeKey& key) {
            const auto at = std::ranges::lower_bound(edges, key, {}, [](const Edge& edge) { return EdgeKey{edge.caller, edge.callee}; });
            return &*at;
        };
        for (const auto& [keys, calls] : kept) {
            Edge& edge = *find(result_.edges, keys.first);
            edge.distribution_known &= !calls.any() || calls.all_of(*find(from_.edges, keys.second));
        }
        for (const auto& [keys, calls] : kept) {
            Edge& edge = *find(result_.edges, keys.first);
            if (edge.distribution_known && calls.any()) edge.histogram.add(find(from_.edges, keys.second)->histogram);
        }
    }

    const Profile& from_;
    const Rule& rule_;
    Profile result_;
    std::vector<bool> used_;
    std::vector<PathId> now_;  // by path before; of one that has folded, the path it is a part of
    Weight folded_;
};

Profile reduced(const Profile& profile, const Rule& rule, const std::string& what) {
    Rebuild rebuild(profile, rule);
    Profile result = rebuild.run(0);
    result.reductions.push_back({what, weight_of(profile), weight_of(result), rebuild.folded()});
    return result;
}

// Whether each path has a match on it.
std::vector<bool> through(const Profile& profile, const std::vector<bool>& matches) {
    std::vector<bool> result(profile.paths.size());
    for (PathId i = 0; i < result.size(); ++i) {
        const CallPath& path = profile.paths[i];
        result[i] = matches[path.function] || (path.parent != kNone && result[path.parent]);
    }
    return result;
}

Rule where(const std::vector<bool>& stays) {
    Rule rule;
    for (const bool one : stays) rule.parts.push_back(one ? Part::kStays : Part::kGoes);
    return rule;
}

}  // namespace

Weight weight_of(const Profile& profile) {
    Weight weight;
    for (const FunctionStats& stats : profile.stats) weight += {stats.ncalls, stats.cost.self_ns, stats.cost.self_hook_ps};
    return weight;
}

Profile focus(const Profile& profile, const std::vector<bool>& matches, const std::string& what) {
    return reduced(profile, where(through(profile, matches)), what);
}

Profile ignore(const Profile& profile, const std::vector<bool>& matches, const std::string& what) {
    std::vector<bool> stays = through(profile, matches);
    stays.flip();
    return reduced(profile, where(stays), what);
}

Profile hide(const Profile& profile, const std::vector<bool>& matches, const std::string& what) {
    Rule rule;
    for (const CallPath& path : profile.paths) rule.parts.push_back(matches[path.function] ? Part::kFolds : Part::kStays);
    return reduced(profile, rule, what);
}

Profile show_from(const Profile& profile, const std::vector<bool>& matches, const std::string& what) {
    const std::vector<bool> stays = through(profile, matches);
    Rule rule = where(stays);
    for (const CallPath& path : profile.paths) {
        rule.begins.push_back(matches[path.function] && (path.parent == kNone || !stays[path.parent]));
    }
    return reduced(profile, rule, what);
}

Profile regroup(const Profile& profile, const std::vector<FunctionId>& group_of, size_t groups) {
    const Rule rule{.parts = std::vector<Part>(profile.paths.size(), Part::kStays), .group_of = &group_of};
    return Rebuild(profile, rule).run(groups);
}

Profile without_empty_paths(const Profile& profile) {
    std::vector<bool> stays;
    for (const CallPath& path : profile.paths) stays.push_back(path.ncalls != 0 || path.cost.self_ns != 0);
    return Rebuild(profile, where(stays)).run(0);
}

}  // namespace fnprof::model
