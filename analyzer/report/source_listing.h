// A function's source with the calls that each of its lines makes.
#pragma once

#include "report/order.h"
#include "report/page.h"
#include "report/restriction.h"

#include <iosfwd>
#include <vector>

namespace fnprof::report {

struct ListingOptions {
    Order order;                            // of the functions
    std::vector<Restriction> restrictions;  // on them
};

// The profile has call sites, and the page knows functions' lines.
void print_source_listing(std::ostream& out, const Page& page, const ListingOptions& options);

}  // namespace fnprof::report
