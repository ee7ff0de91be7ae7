// The paper that standard output is.
#pragma once

#include "cli/options.h"

#include <cstddef>

namespace fnprof::cli {

// Columns that names are cut to: the terminal's, and in a pipe as many as a person can read. 0: no limit.
size_t page_width(const Options& options);

// Columns that paragraphs are broken at: the terminal's. 0: never, so that in a pipe each sentence is a line.
size_t page_wrap(const Options& options);

// Colours only on a terminal, and not where NO_COLOR is set or the terminal is dumb.
bool page_colour(const Options& options);

}  // namespace fnprof::cli
