// What is said of many traces at once: one line for all that have the same to say.
#pragma once

#include "model/profile.h"

#include <string>
#include <vector>

namespace fnprof::report {

// The profile's remarks, printable. Those that differ in nothing but the trace they are about are one.
std::vector<std::string> grouped_remarks(const model::Profile& profile);

}  // namespace fnprof::report
