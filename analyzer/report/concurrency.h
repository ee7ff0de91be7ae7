// When threads were inside instrumented code, one line a thread and a column a slice of time:
//
//   1 main      |█▁·····································█|
//   2 worker-a  |  ▂█··▆▇▁·▂█|
//   active      |1112221...
//
// A column is as full as the share of its time that the thread was busy in; a dot is a thread that lived and was not. The last line is the
// number of threads that were busy at a time, on average over the slice and over all threads of the profile, also those without a line.
#pragma once

#include "report/page.h"

#include <cstdint>
#include <iosfwd>
#include <span>

namespace fnprof::report {

// Says so where there is nothing to draw, or the threads' clocks do not compare.
void print_concurrency(std::ostream& out, const Page& page, std::span<const uint32_t> threads);

}  // namespace fnprof::report
