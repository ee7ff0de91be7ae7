#include "model/process_tree.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace fnprof::model {

namespace {

auto begun(const Process& p) { return std::tie(p.wall_start_unix_ns, p.start_ns, p.pid, p.image); }

bool is_parent(const Process& parent, const Process& child) {
    if (parent.boot_id != child.boot_id || parent.pid == child.pid) return false;
    if (child.fork_parent_pid != 0) return parent.pid == child.fork_parent_pid && parent.process_start == child.fork_parent_start;
    // Process numbers are used again: a parent is older than its child.
    return parent.pid == child.parent_pid && parent.process_start <= child.process_start;
}

}  // namespace

bool is_exec(const Process& earlier, const Process& later) {
    return earlier.boot_id == later.boot_id && earlier.pid == later.pid && earlier.process_start == later.process_start &&
           earlier.image < later.image;
}

std::vector<ProcessNode> process_tree(std::span<const Process* const> processes) {
    std::vector<size_t> order(processes.size());
    for (size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::ranges::stable_sort(order, [&](size_t a, size_t b) { return begun(*processes[a]) < begun(*processes[b]); });
    // In that order a parent stands before its child, so that traces which claim otherwise cannot lead in circles. Of several programs of
    // one process the last one begun is meant.
    std::vector<std::optional<size_t>> parents(order.size());  // indices into `order`
    for (size_t child = 0; child < order.size(); ++child) {
        for (const auto belongs : {&is_parent, &is_exec}) {
            for (size_t i = 0; i < child; ++i)
                if (belongs(*processes[order[i]], *processes[order[child]])) parents[child] = i;
        }
    }
    std::vector<std::vector<size_t>> children(order.size());
    std::vector<ProcessNode> nodes;
    std::vector<std::pair<size_t, ProcessNode>> waiting;  // taken from the end
    for (size_t i = order.size(); i-- > 0;) {
        if (parents[i])
            children[*parents[i]].push_back(i);
        else
            waiting.push_back({i, {order[i], std::nullopt, 0}});
    }
    while (!waiting.empty()) {
        const auto [at, node] = waiting.back();
        waiting.pop_back();
        for (const size_t child : children[at]) waiting.push_back({child, {order[child], nodes.size(), node.depth + 1}});
        nodes.push_back(node);
    }
    return nodes;
}

}  // namespace fnprof::model
