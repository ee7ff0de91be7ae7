// Functions that only A has and functions that only B has, where one is probably the other under a new name. Told to the reader; no figure
// is ever added up because of it.
#pragma once

#include "compare/align.h"
#include "report/names.h"

#include <array>
#include <vector>

namespace fnprof::report {

struct Renaming {
    model::FunctionId a = model::kNone;
    model::FunctionId b = model::kNone;
    bool same_line = false;  // of the source; else nearly the same name, and callers and callees that are the same
};

// `names` by the ids of `runs`. Each function is in one at most.
std::vector<Renaming> probable_renamings(const compare::Aligned& runs, const Names& names);

}  // namespace fnprof::report
