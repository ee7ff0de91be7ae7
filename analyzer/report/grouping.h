// Functions taken together by where they are declared or defined.
#pragma once

#include "model/profile.h"
#include "report/names.h"

#include <vector>

namespace fnprof::report {

struct Grouping {
    std::vector<model::FunctionId> group_of;  // by FunctionId
    Names names;                              // of the groups
};

// By file, line, module or namespace. Functions of which that is not known are together, by module where a file is not known.
//
// Names do not tell a namespace from a class. A scope is taken for a class if it has template arguments, or a constructor or destructor
// among these functions; what is inside a function or a class belongs to the namespace around it.
Grouping group(const Names& names, const PathStyle& style, Granularity by);

}  // namespace fnprof::report
