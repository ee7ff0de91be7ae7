#include "report/figures.h"

#include "report/text.h"

#include <algorithm>

namespace fnprof::report {
namespace {

Picoseconds measured(uint64_t ns) { return Picoseconds{ns} * 1000; }

}  // namespace

Figures::Figures(const model::Profile& profile, bool raw) : raw_(raw) {
    uint64_t hook_ps = 0;
    for (const model::FunctionStats& stats : profile.stats) hook_ps += stats.cost.self_hook_ps;
    const Picoseconds measured_ps = measured(profile.total_self_ns());
    total_ps_ = raw ? measured_ps : profile.total_net_ps();
    for (const model::Process& process : profile.processes)
        clock_step_ps_ = std::max(clock_step_ps_, process.clock_step_ps);
    total_resolution_ps_ = amount(profile.total_self_ns(), hook_ps).resolution_ps;
    if (measured_ps > 0) hook_share_ = std::min(1.0, static_cast<double>(hook_ps) / static_cast<double>(measured_ps));
}

Amount Figures::amount(uint64_t measured_ns, uint64_t hook_ps) const {
    if (raw_) return {measured(measured_ns), clock_step_ps_};
    return {measured(measured_ns) - hook_ps, std::max(clock_step_ps_, hook_ps / kHookCostDoubt)};
}

Amount Figures::self(const model::Cost& cost) const { return amount(cost.self_ns, cost.self_hook_ps); }

Amount Figures::cumulative(const model::Cost& cost) const { return amount(cost.cumulative_ns, cost.cumulative_hook_ps); }

Amount Figures::per_call(Amount amount, uint64_t calls) {
    // At least 1 ps: 0 would mean that everything can be vouched for.
    const uint64_t resolution = amount.resolution_ps == 0 ? 0 : std::max<uint64_t>(1, amount.resolution_ps / calls);
    return {amount.ps / Picoseconds{calls}, resolution};
}

uint64_t percentile_ns(const model::Durations& durations, const model::Histogram& histogram, unsigned permille) {
    return std::clamp(histogram.percentile(permille / 1000.0), durations.least_ns, durations.most_ns);
}

std::string format_amount(Amount amount) { return format_time(amount.ps, amount.resolution_ps); }

}  // namespace fnprof::report
