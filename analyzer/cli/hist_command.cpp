// fnprof-analyze hist: how long a function's calls took.
#include "cli/reports.h"
#include "report/durations.h"
#include "report/json.h"

namespace fnprof::cli {
namespace {

constexpr uint64_t kDefaultFunctions = 5;

void print_text(std::ostream& out, const report::Page& page, const Options& options) {
    std::vector<report::Restriction> restrictions = options.words.restrictions;
    if (restrictions.empty() && !options.words.all) restrictions = {report::FirstRows{kDefaultFunctions}};
    report::print_durations(out, page, {options.order, restrictions});
}

}  // namespace

const ProfileReport kHistReport{
    {"hist",
     "Prints how long each function's calls took: percentiles (within 0.8 %), a histogram, the first call against later ones,\n"
     "its callers side by side, and how deep it recursed. Durations are from enter to exit, callees included, the hooks' own\n"
     "cost taken out; nested calls of a recursion count each by itself.",
     kReport | kRestricted | kSort | kSelection},
    print_text,
    report::print_durations_json};

int run_hist(const Arguments& arguments) { return run_profile_report(kHistReport, arguments); }

}  // namespace fnprof::cli
