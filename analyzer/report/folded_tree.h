// The calling-context tree with recursion folded, for people: a million frames of fib are one row.
//
// Folding. Each call path a>b>c is reduced from the left: a function that is on the reduced path already takes everything
// back to that place. So  main>even>odd>even>leaf  becomes  main>even>leaf  and its cost joins that of  main>even>leaf
// reached directly; main>even counts the folded calls apart ("rec"). Self times are summed, cumulative times built anew
// from them, so that cumulative = self + children holds here too.
#pragma once

#include "model/profile.h"

#include <cstdint>
#include <vector>

namespace fnprof::report {

struct FoldedPath {
    uint32_t parent = model::kNone;  // index of a node that stands before this one
    model::FunctionId function = model::kNone;
    uint64_t ncalls = 0;           // calls that were not recursive
    uint64_t recursive_calls = 0;  // calls folded into this node
    model::Cost cost;
};

std::vector<FoldedPath> fold_recursion(const model::Profile& profile);

// The same bottom-up: a root for each function, with all its self time and calls; a node's children are the callers through which that
// came. A node's cumulative cost is the root's self time on paths that end like the chain, its own self cost what began there (no
// instrumented caller), and ncalls are the root's calls on the chain.
std::vector<FoldedPath> invert(const std::vector<FoldedPath>& nodes);

}  // namespace fnprof::report
