// The call paths on which a function is called, each with its calls and times: true ones, not put together from edges.
#pragma once

#include "report/order.h"
#include "report/page.h"
#include "report/restriction.h"

#include <iosfwd>
#include <vector>

namespace fnprof::report {

struct PathsOptions {
    Order order;                            // of the functions
    std::vector<Restriction> restrictions;  // on them
    size_t paths_each = 0;                  // the heaviest of a function's paths
};

void print_paths(std::ostream& out, const Page& page, const PathsOptions& options);

}  // namespace fnprof::report
