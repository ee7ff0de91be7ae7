// In the place of an empty table: that a pattern matches nothing, and what may have been meant.
#pragma once

#include "report/page.h"

#include <cstddef>
#include <iosfwd>
#include <string>
#include <string_view>

namespace fnprof::report {

struct NoMatch {
    std::string pattern;
    size_t searched = 0;             // rows that it was searched in
    size_t matching_elsewhere = 0;   // rows that an earlier restriction had hidden and that it matches
    std::string_view what;           // the rows: "function", "call path"
};

void print_no_match(std::ostream& out, const Page& page, const NoMatch& no_match);

}  // namespace fnprof::report
