#include "report/call_lines.h"

#include <map>
#include <tuple>

namespace fnprof::report {

CallLines call_lines(const Page& page) {
    CallLines lines;
    std::map<std::tuple<model::CallSite::Kind, std::string, uint32_t, std::string>, uint32_t> numbers;
    std::vector<uint32_t> place_of;
    for (const CallSiteName& site : page.names.call_sites()) {
        const auto [entry, added] = numbers.try_emplace({site.kind, site.file, site.line, site.code}, static_cast<uint32_t>(lines.places.size()));
        if (added) lines.places.push_back(site);
        place_of.push_back(entry->second);
    }
    lines.edges = model::edges_by_site(page.profile, place_of);
    return lines;
}

}  // namespace fnprof::report
