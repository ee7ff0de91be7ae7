// What a check found, for people and for programs.
#pragma once

#include <iosfwd>
#include <span>
#include <string>

#include "check/check.h"

namespace fnprof::check {

// One file: what came of it, or why it could not be read.
struct Outcome {
    std::string path;
    std::string error;  // empty: `report` counts
    Report report;
};

// A line with the verdict, then the findings, the worst first, each with what to change.
void print_text(std::ostream& out, const Outcome& outcome);

// One object; its members are described in README.md.
void print_json(std::ostream& out, std::span<const Outcome> outcomes);

}  // namespace fnprof::check
