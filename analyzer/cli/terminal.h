// The paper that standard output is.
#pragma once

#include "cli/options.h"

#include <cstddef>

namespace fnprof::cli {

// Columns of the terminal; 0, no limit, where standard output is none.
size_t page_width(const Options& options);

// Colours only on a terminal, and not where NO_COLOR is set or the terminal is dumb.
bool page_colour(const Options& options);

}  // namespace fnprof::cli
