// Profiles of part of the call paths, or of the same paths seen more coarsely: from a profile to a new one, whose every figure is exact.
//
//   focus      calls whose path goes through a matching function stay. What is above the first match stands on the paths as before, with
//              no calls and no time of its own: those were not through a match.
//   ignore     the other calls stay: the two add up to the whole
//   hide       matching functions are taken off the paths; their time is their caller's, and nobody's where there is none
//   show_from  paths begin at their first match; those without one go
//   regroup    functions become groups (files, modules, namespaces), and the paths those of groups
//
// Primitive calls and cumulative times are judged on the new paths, by the same rules (statistics.h). Example: main calls a, a calls b; self
// times 1, 2, 3. hide(a) has main b with self times 3, 3; focus(a) has main a b with 0, 2, 3.
//
// What a path does not tell is not kept as if it did. A path has its number of calls, and their sum, squares, least and most; a
// histogram is of an edge or a function, and instances are the slowest of a function. So these stay known where all calls of what they
// are of are still there (distribution_known).
#pragma once

#include <span>
#include <string>
#include <vector>

#include "model/profile.h"

namespace fnprof::model {

// `matches`: by FunctionId. `what` names the reduction.
Profile focus(const Profile& profile, const std::vector<bool>& matches, const std::string& what);
Profile ignore(const Profile& profile, const std::vector<bool>& matches, const std::string& what);
Profile hide(const Profile& profile, const std::vector<bool>& matches, const std::string& what);
Profile show_from(const Profile& profile, const std::vector<bool>& matches, const std::string& what);

// `group_of`: by FunctionId, the number of its group. Groups are functions of no module, with their number as offset; calls within
// a group are calls.
Profile regroup(const Profile& profile, const std::vector<FunctionId>& group_of, size_t groups);

// Without the paths on which nothing was called and no time passed.
Profile without_empty_paths(const Profile& profile);

Weight weight_of(const Profile& profile);

}  // namespace fnprof::model
