// How long the calls of a function took: percentiles, a histogram, its callers side by side, its depth of recursion.
#pragma once

#include "report/order.h"
#include "report/page.h"
#include "report/restriction.h"

#include <iosfwd>
#include <vector>

namespace fnprof::report {

struct DurationsOptions {
    Order order;
    std::vector<Restriction> restrictions;
};

void print_durations(std::ostream& out, const Page& page, const DurationsOptions& options);

}  // namespace fnprof::report
