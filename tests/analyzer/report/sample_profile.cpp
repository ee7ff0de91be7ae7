#include "sample_profile.h"

#include <map>

namespace fnprof::report::test {
namespace {

void add(model::Cost& cost, const model::Cost& path, bool outermost) {
    cost.self_ns += path.self_ns;
    cost.self_hook_ps += path.self_hook_ps;
    if (!outermost) return;
    cost.cumulative_ns += path.cumulative_ns;
    cost.cumulative_hook_ps += path.cumulative_hook_ps;
}

}  // namespace

model::Profile profile_of(size_t function_count, const std::vector<PathRow>& rows) {
    model::Profile profile;
    profile.functions.resize(function_count);
    profile.stats.resize(function_count);
    for (const PathRow& row : rows)
        profile.paths.push_back(
            {row.parent, row.function, row.ncalls, {row.self_ns, row.self_ns, row.self_hook_ps, row.self_hook_ps}});
    for (size_t i = rows.size(); i-- > 0;) {
        if (rows[i].parent == model::kNone) continue;
        model::Cost& parent = profile.paths[rows[i].parent].cost;
        parent.cumulative_ns += profile.paths[i].cost.cumulative_ns;
        parent.cumulative_hook_ps += profile.paths[i].cost.cumulative_hook_ps;
    }
    const auto caller_of = [&](model::PathId id) { return id == model::kNone ? model::kNone : profile.paths[id].function; };
    std::map<std::pair<model::FunctionId, model::FunctionId>, model::Edge> edges;
    for (const model::CallPath& path : profile.paths) {
        const model::FunctionId caller = caller_of(path.parent);
        bool function_outermost = true, edge_outermost = true;
        for (model::PathId at = path.parent; at != model::kNone; at = profile.paths[at].parent) {
            if (profile.paths[at].function != path.function) continue;
            function_outermost = false;
            if (caller_of(profile.paths[at].parent) == caller) edge_outermost = false;
        }
        model::FunctionStats& stats = profile.stats[path.function];
        stats.ncalls += path.ncalls;
        stats.primitive_calls += function_outermost ? path.ncalls : 0;
        add(stats.cost, path.cost, function_outermost);
        model::Edge& edge = edges[{caller, path.function}];
        edge.caller = caller;
        edge.callee = path.function;
        edge.ncalls += path.ncalls;
        edge.primitive_calls += edge_outermost ? path.ncalls : 0;
        add(edge.cost, path.cost, edge_outermost);
    }
    for (const auto& [ends, edge] : edges) profile.edges.push_back(edge);
    return profile;
}

Sample sample() {
    constexpr uint64_t kMs = 1'000'000;
    constexpr uint64_t kHookPs = 20'000;  // of one call, all of it in the function itself
    constexpr model::PathId kRoot = model::kNone;
    enum : model::FunctionId { kMain, kFib, kParse, kHelperA, kWorker, kHelperB, kTiny, kNameless };
    model::Profile profile = profile_of(8, {
                                               {kRoot, kMain, 1, 100 * kMs, kHookPs},
                                               {0, kFib, 1, 10 * kMs, kHookPs},
                                               {1, kFib, 2, 20 * kMs, 2 * kHookPs},
                                               {2, kFib, 4, 40 * kMs, 4 * kHookPs},
                                               {0, kParse, 1000, 500 * kMs, 1000 * kHookPs},
                                               {4, kHelperA, 2000, 2 * kMs, 2000 * kHookPs},
                                               {kRoot, kWorker, 1, 50 * kMs, kHookPs},
                                               {6, kHelperB, 10, 30 * kMs, 10 * kHookPs},
                                               {0, kTiny, 100, 1'950, 100 * kHookPs},
                                               {6, kNameless, 3, 4 * kMs, 3 * kHookPs},
                                           });
    model::Process process;
    process.pid = 4242;
    process.parent_pid = 4000;
    process.program = "/home/user/app/build/app";
    process.host = "host";
    process.arguments = {"app", "--fast"};
    process.trace = "trace.zst";
    process.wall_start_unix_ns = 1'700'000'000'123'456'789;
    process.start_ns = 5'000'000'000;
    process.end_ns = 5'700'000'000;
    process.clock_step_ps = 10'000;
    process.hook_inner_ps = kHookPs;
    process.ended = true;
    process.marks_on = true;
    profile.processes.push_back(process);
    profile.threads.push_back({0, 1, 4242, "app", 5'000'000'000, 5'680'000'000, 3108, 672 * kMs, 0, 0, 0});
    profile.threads.push_back({0, 2, 4243, "worker", 5'010'000'000, 5'100'000'000, 14, 84 * kMs, 1'000, 0, 0});

    const std::string source = "/home/user/app/src/", module = process.program;
    return {std::move(profile),
            Names({
                {"main", "main", module, source + "main.cpp", 10},
                {"fib(int)", "_Z3fibi", module, source + "fib.cpp", 3},
                {"std::vector<int> text::parse<std::map<std::string, int> >(std::map<std::string, int> const&, int)",
                 "_ZN4text5parse", module, source + "parse.cpp", 120},
                {"helper(char const*)", "_ZL6helperPKc", module, source + "a.cpp", 7},
                {"worker(void*)", "_Z6workerPv", module, source + "worker.cpp", 30},
                {"helper(char const*)", "_ZL6helperPKc", module, source + "b.cpp", 7},
                {"tiny()", "_Z4tinyv", "/usr/lib/libtiny.so", "", 0},
                {"libgone.so+0x1a2b", "", "/opt/libgone.so", "", 0},
            })};
}

Sample slow_sample() {
    constexpr uint64_t kSlower = 100'000'000;
    Sample slow = sample();
    const auto slow_down = [](model::Cost& cost) {
        cost.self_ns *= kSlower;
        cost.cumulative_ns *= kSlower;
    };
    for (model::FunctionStats& stats : slow.profile.stats) slow_down(stats.cost);
    for (model::Edge& edge : slow.profile.edges) slow_down(edge.cost);
    for (model::CallPath& path : slow.profile.paths) slow_down(path.cost);
    return slow;
}

}  // namespace fnprof::report::test
