// fnprof-analyze paths: the call paths on which a function is called.
#include "cli/reports.h"
#include "report/json.h"
#include "report/paths.h"

#include <limits>

namespace fnprof::cli {
namespace {

constexpr uint64_t kDefaultFunctions = 5;
constexpr size_t kDefaultPaths = 20;

void print_text(std::ostream& out, const report::Page& page, const Options& options) {
    std::vector<report::Restriction> restrictions = options.words.restrictions;
    if (restrictions.empty() && !options.words.all) restrictions = {report::FirstRows{kDefaultFunctions}};
    report::print_paths(out, page, {options.order, restrictions, options.words.all ? std::numeric_limits<size_t>::max() : kDefaultPaths});
}

}  // namespace

const ProfileReport kPathsReport{
    {"paths",
     "Prints the call paths on which each function was called, the heaviest first, with the calls, times and durations of each.\n"
     "Cumulative time of a path includes nested calls of a recursion, which have paths of their own.",
     kReport | kRestricted | kSort | kSelection},
    print_text,
    report::print_tree_json};

int run_paths(const Arguments& arguments) { return run_profile_report(kPathsReport, arguments); }

}  // namespace fnprof::cli
