// From the calling-context tree to the figures of functions, edges and paths.
//
// The chain of calls above an activation is its path, so whatever a profiler has to know about an activation's surroundings can be
// read off the path, once, at the end:
//
//   a function's call is primitive         if no node above it on the path is of the same function
//   an edge's call is primitive            if no node above is of the same function called by the same function
//   cumulative time of a path              its self time and the cumulative time of its children
//   cumulative time of a function, an edge   the sum over those of its paths on which it is primitive: nested activations lie
//                                            inside them
//
// Example: main calls a, a calls b, b calls a; self times 1, 2, 3, 4.
//
//   path           self  cumulative  a primitive?
//   main              1          10
//   main a            2           9  yes: a's cumulative time is 9
//   main a b          3           7
//   main a b a        4           4  no: its 4 are in the 9; but edge b -> a is primitive here, its cumulative time is 4
//
// Hook cost works alike. A call costs `outer` in its caller and `inner` in itself, so a path's own share is inner x its calls + outer x
// its children's calls, and cumulative shares add up as times do: to (inner + outer) x descendants + inner x calls.
//
// Durations of a function or an edge are those of all its paths. Nothing here is about nested activations: each call is one.
#pragma once

#include <vector>

#include "model/profile.h"
#include "model/tree_sink.h"

namespace fnprof::model {

// Fills stats, edges and paths of `profile`, which has its functions already. Instances' threads stay serials.
void derive_statistics(const TreeSink& calls, Profile& profile);

// What follows from `profile`'s paths alone: everything of stats and edges but histograms, first and slowest calls, and how calls ended.
void derive_from_paths(Profile& profile);

// Cumulative costs, from self costs.
void add_up_paths(std::vector<CallPath>& paths);

}  // namespace fnprof::model
