// What the hooks cost by function, and what leaving functions out of the instrumentation would save.
//
// A call's hooks cost `inner` and `outer` (model/profile.h), whatever the function does: a function's share of the cost is its share of the
// calls. Leaving a function out pays where that is more than what it does itself, and it keeps what matters: its time becomes its
// callers' own, and so do its calls.
#pragma once

#include "report/page.h"

#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

namespace fnprof::report {

// Functions of one system header directory are left out together.
struct Candidate {
    std::vector<model::FunctionId> functions;
    std::string directory;  // empty: one function
    uint64_t ncalls = 0;
    Picoseconds self_ps = 0;   // of their own, hooks taken out; at most what the median call took, times the calls
    Picoseconds hooks_ps = 0;  // what their hooks cost

    double per_call(Picoseconds ps) const { return static_cast<double>(ps) / static_cast<double>(ncalls); }
};

// What a call's hooks cost on the average, in picoseconds; 0: not known.
Picoseconds hook_cost_per_call(const model::Profile& profile);

// The functions whose hooks cost more than they do themselves, and at least a hundredth of all hooks; the dearest first.
std::vector<Candidate> candidates(const Page& page);

// What gcc's -finstrument-functions-exclude-function-list takes for the function. gcc searches it in names without parameters.
std::string gcc_pattern(std::string_view name);

// The functions that cause most of the hooks' cost, in words; empty where that is not worth a line.
std::string distortion(const Page& page);

// `trace_bytes`: of the files that the profile came from; 0: not known.
void print_filter_advice(std::ostream& out, const Page& page, uint64_t trace_bytes);
void print_filter_advice_json(std::ostream& out, const Page& page);

}  // namespace fnprof::report
