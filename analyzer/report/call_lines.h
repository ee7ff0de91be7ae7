// Calls by the source line that makes them.
#pragma once

#include "model/edges_by_site.h"
#include "report/page.h"

#include <string>
#include <vector>

namespace fnprof::report {

struct CallLines {
    std::vector<CallSiteName> places;    // each once
    std::vector<model::SiteEdge> edges;  // their places are indices into `places`
};
CallLines call_lines(const Page& page);

}  // namespace fnprof::report
