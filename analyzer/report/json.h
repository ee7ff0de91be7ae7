// The machine's report: JSON.md describes the schema. Nothing is ever cut; ids are those of the profile, so they agree
// between the two documents.
#pragma once

#include "model/profile.h"
#include "report/names.h"

#include <iosfwd>

namespace fnprof::report {

constexpr int kJsonSchemaVersion = 1;

// The whole profile: functions and edges, processes, threads, integrity.
void print_json(std::ostream& out, const model::Profile& profile, const Names& names);

// The calling-context tree: functions and call paths.
void print_tree_json(std::ostream& out, const model::Profile& profile, const Names& names);

}  // namespace fnprof::report
