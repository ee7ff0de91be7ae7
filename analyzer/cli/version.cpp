#include "cli/version.h"

#include <ostream>

namespace fnprof::cli {

void print_version(std::ostream& out) { out << "fnprof-analyze " << FNPROF_VERSION << '\n'; }

}  // namespace fnprof::cli
