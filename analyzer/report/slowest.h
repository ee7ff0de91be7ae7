// The calls that took longest, each with where and when it was made.
#pragma once

#include "report/order.h"
#include "report/page.h"
#include "report/restriction.h"

#include <iosfwd>
#include <vector>

namespace fnprof::report {

struct SlowestOptions {
    Order order;  // in which functions come to be restricted
    std::vector<Restriction> restrictions;
    size_t rows = 0;
};

// Of one function its slowest calls; of several those that lie furthest above their own function's median, since among all calls main's
// would always be the slowest.
void print_slowest(std::ostream& out, const Page& page, const SlowestOptions& options);

}  // namespace fnprof::report
