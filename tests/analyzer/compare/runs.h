// Runs written as call trees by name: what a profile of them would hold.
#pragma once

#include "compare/align.h"

#include <string>
#include <vector>

namespace fnprof::compare::test {

// A call path: "main/load/parse", how often it was called, and the time in the function itself.
struct PathRow {
    std::string path;
    uint64_t ncalls;
    uint64_t self_ns;
};

// Rows in any order, every beginning of a path among them. Functions are those of module /bin/app of the given build, in order of their first
// rows; durations are set by hand where a test needs them.
Run run_of(const std::vector<PathRow>& rows, uint8_t build = 1);

// The function's number in a run.
model::FunctionId number_of(const Run& run, const std::string& name);

// The same in what was aligned: the name is that of the merged profile.
model::FunctionId id_of(const Aligned& runs, const std::string& name);

}  // namespace fnprof::compare::test
