// Which fnprof-analyze this is.
#pragma once

#include <iosfwd>

namespace fnprof::cli {

void print_version(std::ostream& out);

}  // namespace fnprof::cli
