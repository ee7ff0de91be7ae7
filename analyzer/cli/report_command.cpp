// fnprof-analyze report: the table of functions, the default.
#include "cli/reports.h"
#include "report/json.h"
#include "report/table.h"

namespace fnprof::cli {
namespace {

void print_text(std::ostream& out, const report::Page& page, const Options& options) {
    report::print_table(out, page, {options.order, table_restrictions(options), options.pstats});
}

}  // namespace

const ProfileReport kTableReport{
    {"report", "Prints the table of functions: calls, time in the function itself, time with everything it calls.",
     kReport | kByProcess | kRestricted | kSort | kTable | kSelection},
    print_text,
    report::print_json,
    report::print_json_by_process};

int run_report(const Arguments& arguments) { return run_profile_report(kTableReport, arguments); }

}  // namespace fnprof::cli
