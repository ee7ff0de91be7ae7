// The figure that a condition is about.
#pragma once

#include "report/condition.h"
#include "report/figures.h"

#include <optional>

namespace fnprof::report {

struct MetricFigure {
    long double value = 0;       // calls, or picoseconds
    uint64_t resolution_ps = 0;  // of times: below it the value says nothing
};

// Nothing: it has none, since no call of the function has ended, or none was made. `function`: nothing for metrics that have none.
std::optional<MetricFigure> figure_of(const model::Profile& profile, const Figures& figures, std::optional<model::FunctionId> function, Metric metric);

// "12.34ms", "4800".
std::string figure_text(Metric metric, const MetricFigure& figure);

}  // namespace fnprof::report
