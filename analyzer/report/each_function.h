// The frame of reports that say something of one function after the other.
#pragma once

#include "report/order.h"
#include "report/page.h"
#include "report/restriction.h"

#include <functional>
#include <iosfwd>
#include <vector>

namespace fnprof::report {

// Heading, order, `print` for each function that the restrictions leave, and what the others weigh; or that a pattern matches nothing.
void print_each_function(std::ostream& out, const Page& page, const Order& order, const std::vector<Restriction>& restrictions,
                         const std::function<void(model::FunctionId)>& print);

}  // namespace fnprof::report
