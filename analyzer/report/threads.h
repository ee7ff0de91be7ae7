// The threads of a run: a table, and when each of them was inside instrumented code.
#pragma once

#include "report/page.h"
#include "report/restriction.h"
#include "report/thread_table.h"

#include <iosfwd>
#include <vector>

namespace fnprof::report {

struct ThreadsOptions {
    ThreadOrder order;
    std::vector<Restriction> restrictions;  // patterns are searched in "number name"
};

void print_threads(std::ostream& out, const Page& page, const ThreadsOptions& options);

}  // namespace fnprof::report
