// How long the calls of a function took: percentiles, a histogram, its callers side by side, its depth of recursion.
#pragma once

#include "report/order.h"
#include "report/page.h"
#include "report/restriction.h"

#include <iosfwd>
#include <vector>

namespace fnprof::report {

// The time that so many thousandths of the calls did not exceed: nearest rank, within 0.8 %, never outside the exact least and most. Only for
// durations of at least one call.
uint64_t percentile_ns(const model::Durations& durations, const model::Histogram& histogram, unsigned permille);

struct DurationsOptions {
    Order order;
    std::vector<Restriction> restrictions;
};

void print_durations(std::ostream& out, const Page& page, const DurationsOptions& options);

}  // namespace fnprof::report
