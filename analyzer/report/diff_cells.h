// The figures of a comparison as texts: signed, with the resolution below which a change says nothing.
#pragma once

#include "report/diff.h"

#include <string>

namespace fnprof::report {

// "+12.34ms", "-1.200us", "0ns".
std::string format_change(Picoseconds ps);

// As format_change, but "<resolution" where the change is smaller than what can be vouched for.
std::string format_change(Picoseconds ps, uint64_t resolution_ps);

// "+12.3%"; "" when the whole is not positive.
std::string format_change_percent(Picoseconds part, Picoseconds whole);

// The smallest change of such a figure of a run that can be vouched for.
uint64_t self_resolution(const DiffPage& diff, model::FunctionId id);
uint64_t cumulative_resolution(const DiffPage& diff, model::FunctionId id);
uint64_t total_resolution(const DiffPage& diff);

// Whether the totals differ at all, as far as these runs can tell: only then shares of the difference mean anything.
bool total_differs(const DiffPage& diff);

struct ChangeCells {
    std::string share;      // that it explains of the whole change; empty: there is none to speak of
    std::string explained;
    std::string calls;      // "4800 -> 800", "150"
    std::string tottime;    // change of
    std::string count;      // its parts
    std::string mix;
    std::string per_call;
    std::string call_a;     // mean duration of a call
    std::string call_b;
    std::string call_change;  // with its interval, "not distinguishable"
};
ChangeCells change_cells(const DiffPage& diff, model::FunctionId id);

// "4800 -> 800"; means with one decimal where the runs of a side differ.
std::string calls_text(const compare::FunctionChange& function);

// What the intervals of the changes of calls' durations are made from, and what they cannot say.
std::string basis_text(const compare::Comparison& comparison);

}  // namespace fnprof::report
