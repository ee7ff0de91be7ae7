#include "model/profile.h"

#include <algorithm>

namespace fnprof::model {

namespace {

Picoseconds net_ps(uint64_t ns, uint64_t hook_ps) { return Picoseconds{ns} * 1000 - hook_ps; }

}  // namespace

std::string file_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

Picoseconds Cost::self_net_ps() const { return net_ps(self_ns, self_hook_ps); }
Picoseconds Cost::cumulative_net_ps() const { return net_ps(cumulative_ns, cumulative_hook_ps); }

Weight& Weight::operator+=(const Weight& other) {
    calls += other.calls;
    self_ns += other.self_ns;
    self_hook_ps += other.self_hook_ps;
    return *this;
}

Weight& Weight::operator-=(const Weight& other) {
    calls -= other.calls;
    self_ns -= other.self_ns;
    self_hook_ps -= other.self_hook_ps;
    return *this;
}

Picoseconds Weight::self_net_ps() const { return net_ps(self_ns, self_hook_ps); }

uint64_t Profile::total_calls() const {
    uint64_t sum = 0;
    for (const FunctionStats& one : stats) sum += one.ncalls;
    return sum;
}

uint64_t Profile::primitive_calls() const {
    uint64_t sum = 0;
    for (const FunctionStats& one : stats) sum += one.primitive_calls;
    return sum;
}

Picoseconds Profile::total_net_ps() const {
    Picoseconds sum = 0;
    for (const FunctionStats& one : stats) sum += one.cost.self_net_ps();
    return sum;
}

uint64_t Profile::total_self_ns() const {
    uint64_t sum = 0;
    for (const FunctionStats& one : stats) sum += one.cost.self_ns;
    return sum;
}

uint64_t Profile::wall_ns() const {
    if (processes.empty()) return 0;
    const bool one_boot = std::ranges::all_of(processes, [&](const Process& p) { return p.boot_id == processes.front().boot_id; });
    const auto start = [&](const Process& p) { return one_boot ? p.start_ns : p.wall_start_unix_ns; };
    uint64_t first = start(processes.front());
    uint64_t last = first;
    for (const Process& process : processes) {
        first = std::min(first, start(process));
        last = std::max(last, start(process) + (process.end_ns - std::min(process.start_ns, process.end_ns)));
    }
    return last - first;
}

const Process* Profile::first_process() const {
    const auto first = std::ranges::min_element(processes, {}, &Process::wall_start_unix_ns);
    return first == processes.end() ? nullptr : &*first;
}

}  // namespace fnprof::model
