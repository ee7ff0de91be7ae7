// fnprof-analyze callers and callees: the edges of the call graph, from either end.
#include "cli/reports.h"
#include "report/callers.h"
#include "report/json.h"

namespace fnprof::cli {
namespace {

template <report::Direction kDirection>
void print_text(std::ostream& out, const report::Page& page, const Options& options) {
    report::print_callers(out, page, {kDirection, options.order, table_restrictions(options), options.edge_order, options.edge_limit, options.by_line});
}

template <report::Direction kDirection>
void print_json(std::ostream& out, const report::Page& page) {
    report::print_callers_json(out, page, kDirection);
}

template <report::Direction kDirection>
void print_json_by_process(std::ostream& out, const report::Page& total, std::span<const report::ProcessPage> pages) {
    report::print_callers_json_by_process(out, total, pages, kDirection);
}

template <report::Direction kDirection>
constexpr ProfileReport edges_report(std::string_view command, std::string_view summary) {
    return {{command, summary, kReport | kByProcess | kRestricted | kSort | kEdges | kSelection}, print_text<kDirection>, print_json<kDirection>,
            print_json_by_process<kDirection>};
}

}  // namespace

const ProfileReport kCallersReport = edges_report<report::Direction::kCallers>(
    "callers", "Prints who calls each function, and what of the function's time each caller causes.");
const ProfileReport kCalleesReport = edges_report<report::Direction::kCallees>(
    "callees", "Prints what each function calls, and the time spent there on its behalf.");

int run_callers(const Arguments& arguments) { return run_profile_report(kCallersReport, arguments); }

int run_callees(const Arguments& arguments) { return run_profile_report(kCalleesReport, arguments); }

}  // namespace fnprof::cli
