// The edges of the call graph told apart by where the caller calls.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "model/profile.h"

namespace fnprof::model {

struct SiteEdge {
    FunctionId caller = kNone;  // kNone: called from no instrumented function
    FunctionId callee = kNone;
    uint32_t place = kNone;  // kNone: not known
    uint64_t ncalls = 0;
    uint64_t primitive_calls = 0;
    Cost cost = {};
};

// Of a merged profile with call sites. `place_of`: of each call site, what takes it together with others (those of one source line).
// Recursion is judged per (caller, callee, place), as of edges. Sorted by callee, caller, place.
std::vector<SiteEdge> edges_by_site(const Profile& profile, std::span<const uint32_t> place_of);

}  // namespace fnprof::model
