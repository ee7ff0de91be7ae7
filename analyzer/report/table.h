// The default report: pstats' table of functions.
#pragma once

#include "report/order.h"
#include "report/page.h"
#include "report/restriction.h"

#include <iosfwd>

namespace fnprof::report {

struct TableOptions {
    Order order;
    std::vector<Restriction> restrictions;
    bool pstats_form = false;  // pstats' own columns and fixed "%8.3f" seconds
};

void print_table(std::ostream& out, const Page& page, const TableOptions& options);

// "9344245/9094709", or one number where they are equal.
std::string format_calls(uint64_t calls, uint64_t primitive);

// Seconds as "%8.3f", not below zero: pstats' form.
std::string pstats_seconds(Picoseconds ps);

}  // namespace fnprof::report
