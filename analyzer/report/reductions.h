// Sentences on what a selection has left out and how much that weighs: nothing is hidden silently.
#pragma once

#include "model/profile.h"
#include "report/figures.h"
#include "report/names.h"

#include <string>
#include <vector>

namespace fnprof::report {

// One for each reduction, and what percentages and rows then are; empty where nothing was left out.
std::vector<std::string> reduction_lines(const model::Profile& profile, const Figures& figures, Granularity by);

// That of some functions percentiles and the like are not known, and why; empty: all are known.
std::string unknown_distributions(const model::Profile& profile);

}  // namespace fnprof::report
