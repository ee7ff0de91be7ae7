// The paper that standard output is.
#pragma once

#include "cli/options.h"

#include <cstddef>

namespace fnprof::cli {

// Columns that names are cut to: the terminal's, and in a pipe as many as a person can read. 0: no limit.
size_t page_width(const Options& options);

// Columns that paragraphs are broken at: the terminal's. 0: never, so that in a pipe each sentence is a line.
size_t page_wrap(const Options& options);

// Whether the locale's characters are UTF-8: names are printed as they are in any case, but drawings need it.
bool page_utf8();

// Colours only on a terminal, and not where NO_COLOR is set or the terminal is dumb.
bool page_colour(const Options& options);

}  // namespace fnprof::cli
