// What a trace knows about its run beside the calls: process, clock, threads, modules, integrity.
#pragma once

#include "report/page.h"

#include <iosfwd>

namespace fnprof::report {

void print_info(std::ostream& out, const Page& page);

}  // namespace fnprof::report
