// Random programs as calls that anybody can look at one by one, and figures worked out from their whole stacks: what selections of calls and
// of call paths have to agree with.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include "model/call_player.h"
#include "model/statistics.h"

namespace fnprof::model::test {

// One thread's calls. Times are its own: between its parts the function was on top.
struct SlowCall {
    FunctionId function = kNone;
    size_t caller = ~size_t{0};  // index; none
    uint32_t thread = 1;
    uint64_t enter_ns = 0;
    uint64_t exit_ns = 0;
    std::vector<std::pair<uint64_t, uint64_t>> parts = {};
    uint64_t duration_ns() const { return exit_ns - enter_ns; }
};

struct SlowProgram {
    static constexpr FunctionId kFunctions = 6;
    std::vector<SlowCall> calls;

    struct Record {
        bool enter = false;
        FunctionId function = kNone;
        uint32_t depth = 0;
        uint64_t ns = 0;
    };
    std::map<uint32_t, std::vector<Record>> records;  // by thread

    // All calls end. Threads overlap in time.
    explicit SlowProgram(unsigned seed, uint32_t threads = 2) {
        std::mt19937 random(seed);
        for (uint32_t thread = 1; thread <= threads; ++thread) run(random, thread);
    }

    // From the outermost call in.
    std::vector<size_t> stack(size_t call) const {
        std::vector<size_t> result;
        for (; call != ~size_t{0}; call = calls[call].caller) result.insert(result.begin(), call);
        return result;
    }

    Profile profile(HookCost hook = {}, const CallSelection* selection = nullptr, std::unique_ptr<CallPlayer>* keep = nullptr) const {
        std::unique_ptr<CallPlayer> player = make_player(true, hook, {}, false, selection);
        std::map<uint32_t, ThreadStack> stacks;
        uint64_t end_ns = 0;
        for (const auto& [thread, all] : records) {
            ThreadStack& stack = stacks[thread];
            stack.serial = thread;
            std::vector<CallSymbol> symbols;
            for (FunctionId function = 0; function < kFunctions; ++function) symbols.push_back({.function = function});
            std::vector<format::Event> events;
            for (const Record& record : all) {
                const format::Kind kind = record.enter ? format::Kind::kEnter : format::Kind::kExit;
                events.push_back({format::make_time_word(record.ns, kind), record.function, 1000000000 * thread - 4 * record.depth});
            }
            player->run(stack, symbols, events);
            end_ns = std::max(end_ns, all.back().ns);
        }
        for (auto& [thread, stack] : stacks) player->end_thread(stack, end_ns, false);
        player->end_process();
        Profile result;
        for (FunctionId function = 0; function < kFunctions; ++function) result.functions.push_back({kNone, function, "f"});
        derive_statistics(player->tree(), result);
        for (FunctionStats& stats : result.stats) {
            for (CallInstance& call : stats.slowest) call.thread = kNone;
        }
        if (keep != nullptr) *keep = std::move(player);
        return result;
    }

  private:
    void run(std::mt19937& random, uint32_t thread) {
        uint64_t now = 1000 + random() % 50;
        std::vector<size_t> active;
        const auto tick = [&] {
            const uint64_t until = now + random() % 40;
            if (!active.empty()) calls[active.back()].parts.push_back({now, until});
            now = until;
        };
        for (int left = 300; left > 0 || !active.empty();) {
            tick();
            if (left > 0 && (active.size() < 2 || (active.size() < 9 && random() % 2 == 0))) {
                --left;
                const auto function = static_cast<FunctionId>(random() % kFunctions);
                calls.push_back({.function = function, .caller = active.empty() ? ~size_t{0} : active.back(), .thread = thread, .enter_ns = now});
                active.push_back(calls.size() - 1);
                records[thread].push_back({true, function, static_cast<uint32_t>(active.size()), now});
            } else {
                calls[active.back()].exit_ns = now;
                records[thread].push_back({false, calls[active.back()].function, static_cast<uint32_t>(active.size()), now});
                active.pop_back();
            }
        }
    }
};

// What a selection makes of a call.
struct Seen {
    std::vector<FunctionId> path = {};    // that its time is on; empty: nobody's
    uint64_t self_ns = 0;
    bool counts = false;                  // as a call of the path's last function
    std::optional<uint64_t> duration = {};
};

class SlowFigures {
  public:
    struct Figures {
        uint64_t ncalls = 0;
        uint64_t primitive_calls = 0;
        uint64_t self_ns = 0;
        uint64_t cumulative_ns = 0;
        Durations durations = {};
        bool operator==(const Figures&) const = default;
    };
    using Edge = std::pair<FunctionId, FunctionId>;

    SlowFigures(const SlowProgram& program, const std::function<Seen(size_t call)>& see) {
        for (size_t call = 0; call < program.calls.size(); ++call) {
            const Seen seen = see(call);
            if (!seen.path.empty()) add(seen);
        }
    }

    std::map<FunctionId, Figures> functions;
    std::map<Edge, Figures> edges;
    std::map<std::vector<FunctionId>, Figures> paths;

  private:
    void add(const Seen& seen) {
        const std::vector<FunctionId>& path = seen.path;
        const auto edge_at = [&](size_t i) { return Edge{i == 0 ? kNone : path[i - 1], path[i]}; };
        std::set<FunctionId> active;
        std::set<Edge> active_edges;
        for (size_t i = 0; i < path.size(); ++i) {
            const bool last = i + 1 == path.size();
            add(functions[path[i]], seen, last, active.insert(path[i]).second);
            add(edges[edge_at(i)], seen, last, active_edges.insert(edge_at(i)).second);
            add(paths[{path.begin(), path.begin() + static_cast<std::ptrdiff_t>(i) + 1}], seen, last, true);
        }
    }
    static void add(Figures& figures, const Seen& seen, bool own, bool outermost) {
        if (outermost) figures.cumulative_ns += seen.self_ns;
        if (!own) return;
        figures.self_ns += seen.self_ns;
        figures.ncalls += seen.counts;
        figures.primitive_calls += seen.counts && outermost;
        if (seen.duration) figures.durations.add(*seen.duration);
    }
};

inline SlowFigures::Figures figures_of(const auto& stats) {
    return {stats.ncalls, stats.primitive_calls, stats.cost.self_ns, stats.cost.cumulative_ns, stats.durations};
}

}  // namespace fnprof::model::test
