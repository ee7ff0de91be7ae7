// A small profile built from call paths: the rest of its figures follow from them by the definitions in profile.h.
#pragma once

#include "model/profile.h"
#include "report/figures.h"
#include "report/names.h"
#include "report/page.h"

#include <string>
#include <vector>

namespace fnprof::report::test {

struct PathRow {
    model::PathId parent;
    model::FunctionId function;
    uint64_t ncalls;
    uint64_t self_ns;
    uint64_t self_hook_ps = 0;
};

// Stats, edges and cumulative costs of `rows` (parents first).
model::Profile profile_of(size_t function_count, const std::vector<PathRow>& rows);

// Two threads of one process: main, a recursive fib, a templated parse, two static functions called helper, and a function
// that is too short to be measured.
struct Sample {
    model::Profile profile;
    Names names;
};
Sample sample();

// The same program a hundred million times slower: years, where 64 bits hold 106 days of picoseconds. The hooks' cost is what it was.
Sample slow_sample();

}  // namespace fnprof::report::test
