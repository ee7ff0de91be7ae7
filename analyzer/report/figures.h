// The figures that reports print: net (the hooks' cost taken out) or as measured, each with the resolution below which it
// says nothing. All times are picoseconds.
#pragma once

#include "model/profile.h"
#include "report/text.h"

#include <cstdint>
#include <string>

namespace fnprof::report {

// The hooks' cost per call is measured once at the start of a run, and a function's work can run beside its hooks: corrected times were
// up to 12 ns a call off the truth where a call's hooks cost 24 ns (benchmarks/README.md, accuracy), so this part of the cost that was
// taken out is not known: a half.
constexpr uint64_t kHookCostDoubt = 2;

struct Amount {
    Picoseconds ps = 0;
    uint64_t resolution_ps = 0;  // values below it are printed as "<resolution"
};

class Figures {
  public:
    // The profile must outlive the figures.
    Figures(const model::Profile& profile, bool raw);

    bool raw() const { return raw_; }
    Amount self(const model::Cost& cost) const;
    Amount cumulative(const model::Cost& cost) const;
    // What one call took; only for calls > 0.
    static Amount per_call(Amount amount, uint64_t calls);

    Picoseconds total_ps() const { return total_ps_; }          // sum of self over functions: the header's time
    Amount total() const { return {total_ps_, total_resolution_ps_}; }
    uint64_t clock_step_ps() const { return clock_step_ps_; }  // the coarsest clock among the processes
    // Share of the measured time that is the hooks' own cost, 0..1.
    double hook_share() const { return hook_share_; }

  private:
    Amount amount(uint64_t measured_ns, uint64_t hook_ps) const;

    bool raw_;
    Picoseconds total_ps_ = 0;
    uint64_t total_resolution_ps_ = 0;
    uint64_t clock_step_ps_ = 0;
    double hook_share_ = 0;
};

// The time that so many thousandths of the calls did not exceed: nearest rank, within 0.8 %, never outside the exact least and most. Only for
// durations of at least one call.
uint64_t percentile_ns(const model::Durations& durations, const model::Histogram& histogram, unsigned permille);

// "12.34ms", "<1.2us".
std::string format_amount(Amount amount);

}  // namespace fnprof::report
