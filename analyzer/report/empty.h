// What to say when there is nothing to report.
#pragma once

#include <iosfwd>

namespace fnprof::report {

// The likely causes of a missing or empty trace, most likely first, each with the command that confirms it.
void print_likely_causes(std::ostream& out);

}  // namespace fnprof::report
