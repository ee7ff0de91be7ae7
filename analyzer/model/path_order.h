// The order in which a profile's call paths stand.
#pragma once

#include <vector>

#include "model/profile.h"

namespace fnprof::model {

// Sorts the tree depth first, children by function and call site, and returns the new number of each old path.
std::vector<PathId> sort_paths(std::vector<CallPath>& paths);

}  // namespace fnprof::model
