#include "model/merge.h"

#include <algorithm>
#include <numeric>
#include <tuple>

#include "model/path_order.h"
#include "model/slowest_calls.h"

namespace fnprof::model {

namespace {

void add_cost(Cost& sum, const Cost& cost) {
    sum.self_ns += cost.self_ns;
    sum.cumulative_ns += cost.cumulative_ns;
    sum.self_hook_ps += cost.self_hook_ps;
    sum.cumulative_hook_ps += cost.cumulative_hook_ps;
}

void add_stats(FunctionStats& sum, const FunctionStats& stats) {
    sum.ncalls += stats.ncalls;
    sum.primitive_calls += stats.primitive_calls;
    sum.open_calls += stats.open_calls;
    sum.unwound_calls += stats.unwound_calls;
    add_cost(sum.cost, stats.cost);
    sum.durations.add(stats.durations);
    sum.distribution_known &= stats.distribution_known;
    sum.histogram.add(stats.histogram);
    sum.first.processes += stats.first.processes;
    sum.first.sum_ns += stats.first.sum_ns;
}

void add_integrity(Integrity& sum, const Integrity& integrity) {
    sum.complete &= integrity.complete;
    sum.lost_records += integrity.lost_records;
    sum.torn_records += integrity.torn_records;
    sum.damaged_blocks += integrity.damaged_blocks;
    sum.missing_chunks += integrity.missing_chunks;
    sum.open_frames += integrity.open_frames;
    sum.unmatched_exits += integrity.unmatched_exits;
    sum.unended_processes += integrity.unended_processes;
    sum.live_records += integrity.live_records;
    sum.remarks.insert(sum.remarks.end(), integrity.remarks.begin(), integrity.remarks.end());
}

// Profiles of one selection have the same reductions in the same order.
void add_reductions(std::vector<Reduction>& sums, const std::vector<Reduction>& reductions) {
    for (const Reduction& reduction : reductions) {
        const auto known = std::ranges::find(sums, reduction.what, &Reduction::what);
        if (known == sums.end()) {
            sums.push_back(reduction);
            continue;
        }
        known->before += reduction.before;
        known->after += reduction.after;
        known->folded += reduction.folded;
    }
}

auto key(const Module& module) { return std::tie(module.path, module.build_id); }
auto key(const Function& function) { return std::tie(function.module, function.offset); }
auto key(const CallSite& site) { return std::tie(site.module, site.offset, site.kind); }
auto key(const Process& p) {
    return std::tie(p.host, p.boot_id, p.wall_start_unix_ns, p.pid, p.parent_pid, p.start_ns, p.end_ns, p.program, p.arguments, p.trace,
                    p.clock_counts_ns, p.clock_step_ps, p.hook_inner_ps, p.hook_outer_ps, p.ended, p.marks_on, p.modules, p.fate, p.process_start,
                    p.image, p.fork_parent_pid, p.fork_parent_start, p.fork_stack);
}
auto key(const Thread& t) {
    return std::tie(t.process, t.serial, t.tid, t.name, t.start_ns, t.end_ns, t.ncalls, t.busy_ns, t.gap_ns, t.lost_ns,
                    t.lost_records, t.torn_records, t.unmatched_exits);
}

// Sorts `items` by key and returns the new number of each old one; kNone stays kNone.
template <class Item>
std::vector<uint32_t> sort_by_key(std::vector<Item>& items) {
    std::vector<uint32_t> order(items.size());
    std::iota(order.begin(), order.end(), 0u);
    std::ranges::sort(order, [&](uint32_t a, uint32_t b) { return key(items[a]) < key(items[b]); });
    std::vector<uint32_t> renumbered(items.size());
    std::vector<Item> sorted;
    sorted.reserve(items.size());
    for (const uint32_t old : order) {
        renumbered[old] = static_cast<uint32_t>(sorted.size());
        sorted.push_back(std::move(items[old]));
    }
    items = std::move(sorted);
    return renumbered;
}

uint32_t mapped(const std::vector<uint32_t>& map, uint32_t id) { return id == kNone ? kNone : map[id]; }

// Keeps memory bounded where many profiles are added. Which of calls that are equal in duration and start stay is decided at the end,
// by the final numbers of paths and threads.
void drop_surely_faster(std::vector<CallInstance>& calls) {
    if (calls.size() < 4 * kSlowestKept) return;
    const auto slower = [](const CallInstance& a, const CallInstance& b) {
        return a.duration_ns != b.duration_ns ? a.duration_ns > b.duration_ns : a.start_ns < b.start_ns;
    };
    std::ranges::nth_element(calls, calls.begin() + (kSlowestKept - 1), slower);
    const CallInstance last = calls[kSlowestKept - 1];
    std::erase_if(calls, [&](const CallInstance& call) { return slower(last, call); });
}

}  // namespace

void Merger::add(const Profile& profile) {
    const std::vector<uint32_t> modules = add_modules(profile);
    const std::vector<FunctionId> functions = add_functions(profile, modules);
    for (size_t i = 0; i < profile.stats.size(); ++i) add_stats(sum_.stats[functions[i]], profile.stats[i]);
    for (const Edge& edge : profile.edges) {
        const FunctionId caller = mapped(functions, edge.caller);
        const FunctionId callee = functions[edge.callee];
        Edge& sum = edges_.try_emplace({caller, callee}, Edge{.caller = caller, .callee = callee}).first->second;
        sum.ncalls += edge.ncalls;
        sum.primitive_calls += edge.primitive_calls;
        add_cost(sum.cost, edge.cost);
        sum.durations.add(edge.durations);
        sum.distribution_known &= edge.distribution_known;
        sum.histogram.add(edge.histogram);
    }
    const std::vector<PathId> paths = add_paths(profile, functions, add_call_sites(profile, modules));
    add_slowest(profile, functions, paths);
    add_processes(profile, modules, functions);
    add_integrity(sum_.integrity, profile.integrity);
    add_reductions(sum_.reductions, profile.reductions);
}

std::vector<uint32_t> Merger::add_modules(const Profile& profile) {
    std::vector<uint32_t> ids;
    for (const Module& module : profile.modules) {
        const auto [entry, added] = modules_.try_emplace({module.path, module.build_id}, static_cast<uint32_t>(sum_.modules.size()));
        if (added) sum_.modules.push_back(module);
        ids.push_back(entry->second);
    }
    return ids;
}

std::vector<FunctionId> Merger::add_functions(const Profile& profile, const std::vector<uint32_t>& modules) {
    std::vector<FunctionId> ids;
    for (const Function& function : profile.functions) {
        const uint32_t module = mapped(modules, function.module);
        const auto [entry, added] =
            functions_.try_emplace({module, function.offset}, static_cast<FunctionId>(sum_.functions.size()));
        if (added) {
            sum_.functions.push_back({module, function.offset, {}});
            sum_.stats.emplace_back();
        }
        std::string& name = sum_.functions[entry->second].mangled;
        name = std::max(name, function.mangled);
        ids.push_back(entry->second);
    }
    return ids;
}

std::vector<uint32_t> Merger::add_call_sites(const Profile& profile, const std::vector<uint32_t>& modules) {
    std::vector<uint32_t> ids;
    for (const CallSite& site : profile.call_sites) {
        const CallSite mine{mapped(modules, site.module), site.offset, site.kind};
        const auto [entry, added] = sites_.try_emplace({mine.module, mine.offset, mine.kind}, static_cast<uint32_t>(sum_.call_sites.size()));
        if (added) sum_.call_sites.push_back(mine);
        ids.push_back(entry->second);
    }
    return ids;
}

// The sum's path of each of the profile's.
std::vector<PathId> Merger::add_paths(const Profile& profile, const std::vector<FunctionId>& functions, const std::vector<uint32_t>& sites) {
    std::vector<PathId> nodes(profile.paths.size());
    for (size_t i = 0; i < profile.paths.size(); ++i) {
        const CallPath& path = profile.paths[i];
        const PathId above = path.parent == kNone ? PathTree::kRoot : nodes[path.parent];
        const FunctionId function = functions[path.function];
        const uint32_t site = mapped(sites, path.site);
        const PathId node = nodes[i] = site == kNone ? tree_.child(above, function) : sited_.child(tree_, above, function, site);
        if (node > sum_.paths.size()) {
            sum_.paths.push_back({.parent = above == PathTree::kRoot ? kNone : above - 1, .function = function, .site = site});
        }
        CallPath& sum = sum_.paths[node - 1];
        sum.ncalls += path.ncalls;
        add_cost(sum.cost, path.cost);
        sum.durations.add(path.durations);
    }
    for (PathId& node : nodes) --node;  // path i is node i + 1
    return nodes;
}

// Before the profile's threads are added.
void Merger::add_slowest(const Profile& profile, const std::vector<FunctionId>& functions, const std::vector<PathId>& paths) {
    const uint32_t first = static_cast<uint32_t>(sum_.threads.size());
    for (size_t i = 0; i < profile.stats.size(); ++i) {
        for (CallInstance call : profile.stats[i].slowest) {
            call.path = paths[call.path];
            if (call.thread != kNone) call.thread += first;
            slowest_[functions[i]].push_back(call);
        }
        if (const auto calls = slowest_.find(functions[i]); calls != slowest_.end()) drop_surely_faster(calls->second);
    }
}

void Merger::add_processes(const Profile& profile, const std::vector<uint32_t>& modules, const std::vector<FunctionId>& functions) {
    const uint32_t first = static_cast<uint32_t>(sum_.processes.size());
    for (Process process : profile.processes) {
        for (uint32_t& module : process.modules) module = modules[module];
        for (FunctionId& function : process.fork_stack) function = functions[function];
        sum_.processes.push_back(std::move(process));
    }
    for (Thread thread : profile.threads) {
        if (thread.process != kNone) thread.process += first;
        sum_.threads.push_back(std::move(thread));
    }
}

Profile Merger::finish() {
    Profile result = std::move(sum_);
    const std::vector<uint32_t> modules = sort_by_key(result.modules);
    for (Function& function : result.functions) function.module = mapped(modules, function.module);
    const std::vector<FunctionId> functions = sort_by_key(result.functions);
    std::vector<FunctionStats> stats(result.stats.size());
    for (size_t i = 0; i < stats.size(); ++i) stats[functions[i]] = std::move(result.stats[i]);
    result.stats = std::move(stats);
    for (auto& [key, edge] : edges_) {
        result.edges.push_back(edge);
        result.edges.back().caller = mapped(functions, edge.caller);
        result.edges.back().callee = functions[edge.callee];
    }
    std::ranges::sort(result.edges, [](const Edge& a, const Edge& b) {
        return std::tie(a.caller, a.callee) < std::tie(b.caller, b.callee);
    });
    for (CallSite& site : result.call_sites) site.module = mapped(modules, site.module);
    const std::vector<uint32_t> sites = sort_by_key(result.call_sites);
    for (CallPath& path : result.paths) {
        path.function = functions[path.function];
        path.site = mapped(sites, path.site);
    }
    const std::vector<PathId> paths = sort_paths(result.paths);
    for (Process& process : result.processes) {
        for (uint32_t& module : process.modules) module = modules[module];
        std::ranges::sort(process.modules);
        for (FunctionId& function : process.fork_stack) function = functions[function];
    }
    const std::vector<uint32_t> processes = sort_by_key(result.processes);
    for (Thread& thread : result.threads) thread.process = mapped(processes, thread.process);
    const std::vector<uint32_t> threads = sort_by_key(result.threads);
    for (auto& [function, calls] : slowest_) {
        for (CallInstance call : calls) {
            call.path = paths[call.path];
            call.thread = mapped(threads, call.thread);
            keep_slowest(result.stats[functions[function]].slowest, call);
        }
    }
    std::vector<std::string>& remarks = result.integrity.remarks;
    std::ranges::sort(remarks);
    remarks.erase(std::unique(remarks.begin(), remarks.end()), remarks.end());
    *this = Merger();
    return result;
}

Profile merge(const std::vector<Profile>& profiles) {
    Merger merger;
    for (const Profile& profile : profiles) merger.add(profile);
    return merger.finish();
}

Profile unify_builds(const Profile& profile) {
    std::map<std::pair<std::string, std::string>, std::vector<FunctionId>> alike;
    for (FunctionId id = 0; id < profile.functions.size(); ++id) {
        const Function& function = profile.functions[id];
        if (function.module == kNone || function.mangled.empty()) continue;
        alike[{file_name(profile.modules[function.module].path), function.mangled}].push_back(id);
    }
    const auto together = [&](uint32_t a, uint32_t b) {
        return std::ranges::any_of(profile.processes, [&](const Process& process) {
            return std::ranges::binary_search(process.modules, a) && std::ranges::binary_search(process.modules, b);
        });
    };
    std::vector<uint64_t> last_used(profile.modules.size());
    for (const Process& process : profile.processes) {
        for (const uint32_t module : process.modules) last_used[module] = std::max(last_used[module], process.wall_start_unix_ns);
    }
    const auto use = [&](FunctionId id) { return last_used[profile.functions[id].module]; };
    Profile unified = profile;
    for (const auto& [name, functions] : alike) {
        bool sure = true;
        for (size_t i = 0; i < functions.size() && sure; ++i) {
            for (size_t k = 0; k < i && sure; ++k) {
                const uint32_t a = profile.functions[functions[i]].module;
                const uint32_t b = profile.functions[functions[k]].module;
                sure = a != b && !together(a, b);
            }
        }
        const FunctionId latest = *std::ranges::max_element(functions, {}, use);
        for (const FunctionId id : functions) {
            if (sure) unified.functions[id] = profile.functions[latest];
        }
    }
    Merger merger;
    merger.add(unified);
    return merger.finish();
}

}  // namespace fnprof::model
