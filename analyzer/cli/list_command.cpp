// fnprof-analyze list: functions' source with the calls that each line makes.
#include "cli/profile_report.h"
#include "report/json.h"
#include "report/source_listing.h"

namespace fnprof::cli {
namespace {

constexpr uint64_t kDefaultFunctions = 3;

void print_text(std::ostream& out, const report::Page& page, const Options& options) {
    std::vector<report::Restriction> restrictions = options.words.restrictions;
    if (restrictions.empty() && !options.words.all) restrictions = {report::FirstRows{kDefaultFunctions}};
    report::print_source_listing(out, page, {options.order, restrictions});
}

void print_json(std::ostream& out, const report::Page& page) { report::print_callers_json(out, page, report::Direction::kCallees); }

const ProfileReport kListReport{
    {"list",
     "Prints the source of functions, with the number of calls that each line makes and the time spent in them.\n"
     "A line's own time is not known: the trace has when functions are entered and left.",
     kReport | kRestricted | kSort},
    print_text,
    print_json,
    nullptr,
    Symbols::kWithCallSites};

}  // namespace

int run_list(const Arguments& arguments) { return run_profile_report(kListReport, arguments); }

}  // namespace fnprof::cli
