// Runs of different builds under one numbering of their functions.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <vector>

#include "compare/match.h"
#include "model/profile.h"

namespace fnprof::compare {

// One execution of a program; all its processes.
struct Run {
    model::Profile profile;
    std::vector<Identity> functions;  // by FunctionId
};

enum Side : size_t { kA = 0, kB = 1 };

// Where a function stands in what was given: a run of the side and the number it has there.
struct Place {
    size_t run = 0;
    model::FunctionId function = model::kNone;
};

// Invariant: a FunctionId means the same in all profiles, and each has every function, with zeros if it was not called there. Modules of
// functions are not kept: the name of a function is asked for at one of its places.
struct Aligned {
    std::array<std::vector<model::Profile>, 2> runs;
    std::array<model::Profile, 2> total;                             // sums over the runs
    std::array<std::vector<std::optional<Place>>, 2> places;         // by FunctionId: the first run of the side that has it
    size_t size() const { return places[kA].size(); }
    bool in(Side side, model::FunctionId id) const { return places[side][id].has_value(); }
};

// At least one run a side.
Aligned align(std::span<const Run> a, std::span<const Run> b);

}  // namespace fnprof::compare
