// What explains the difference between two runs, without explaining anything twice.
//
// The time below a call path is, for A and for B, the calls of it times (its own time a call + for each callee the calls of that a
// call of it x the time below). Going down from the root and exchanging A's figures for B's one after the other, each path explains
// two pieces of the difference:
//
//   calls   it is called more or less often for each call of its caller, at what a call of it, with everything below, took in A
//   own     a call of it takes more or less time in the function itself, for as many calls as B has
//
// The pieces of all paths add up to the whole difference, exactly; a function has those of its paths. Example: main calls load twice in A
// and once in B; load takes 10 and calls parse 5 times, 2 each; in B each parse takes 3.
//
//   load: calls   1 x (10 + 5 x 2) less           -20
//   parse: own    5 x (3 - 2) more                 +5     although parse is called 5 times less: load explains that
//
// A path that only one side has explains all that is below it, at its top: there is nothing to compare with. But a function that only one
// side has (a new wrapper, one that is inlined now) is looked through where below it the other side goes on: then it explains its own
// time, and what it calls counts as called by its caller.
#pragma once

#include <vector>

#include "compare/align.h"

namespace fnprof::compare {

struct Effects {
    model::Picoseconds calls_ps = 0;
    model::Picoseconds own_ps = 0;
    model::Picoseconds sum() const { return calls_ps + own_ps; }
};

// By FunctionId, in picoseconds x runs of A x runs of B: they sum up to (B's total / its runs - A's / its runs) in that unit, exactly. `raw`:
// times as measured.
std::vector<Effects> attribute(const Aligned& runs, bool raw);

}  // namespace fnprof::compare
