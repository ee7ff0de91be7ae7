// Who calls whom: pstats' print_callers and print_callees, from the profile's edges. Beyond pstats, the edges of each function have an order and
// a limit of their own.
#pragma once

#include "report/order.h"
#include "report/page.h"
#include "report/restriction.h"

#include <iosfwd>
#include <optional>

namespace fnprof::report {

enum class Direction { kCallers, kCallees };

struct CallersOptions {
    Direction direction = Direction::kCallers;
    Order order;                            // of the functions
    std::vector<Restriction> restrictions;  // of the functions
    Order edge_order = {};                  // of each function's callers or callees; without fields: by falling cumulative time
    std::optional<Restriction> edge_limit = std::nullopt;  // how many of them are shown: a number or a share
    bool by_line = false;                   // edges are told apart by the source line of the call; the profile has call sites
};

void print_callers(std::ostream& out, const Page& page, const CallersOptions& options);

}  // namespace fnprof::report
