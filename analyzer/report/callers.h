// Who calls whom: pstats' print_callers and print_callees, from the profile's edges.
#pragma once

#include "report/order.h"
#include "report/page.h"
#include "report/restriction.h"

#include <iosfwd>

namespace fnprof::report {

enum class Direction { kCallers, kCallees };

struct CallersOptions {
    Direction direction = Direction::kCallers;
    Order order;                            // of the functions; their callers or callees stand by falling cumulative time
    std::vector<Restriction> restrictions;  // of the functions
};

void print_callers(std::ostream& out, const Page& page, const CallersOptions& options);

}  // namespace fnprof::report
