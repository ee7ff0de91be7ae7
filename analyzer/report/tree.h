// The call-path tree as text, heaviest first, recursion folded.
#pragma once

#include "report/page.h"
#include "report/restriction.h"

#include <iosfwd>

namespace fnprof::report {

struct TreeOptions {
    // Numbers keep that many of the heaviest call paths, patterns those through a matching function; the callers of what
    // is kept are printed too.
    std::vector<Restriction> restrictions;
    double least_percent = 0;  // call paths with less of the total time are hidden
    bool inverted = false;     // bottom-up: functions, and through which callers their own time came (folded_tree.h)
};

void print_tree(std::ostream& out, const Page& page, const TreeOptions& options);

}  // namespace fnprof::report
