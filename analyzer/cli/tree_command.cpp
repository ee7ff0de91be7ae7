// fnprof-analyze tree: the call-path tree.
#include "cli/reports.h"
#include "report/json.h"
#include "report/tree.h"

namespace fnprof::cli {
namespace {

// Like a table's rows: without words of the user's the tree ends somewhere.
constexpr double kDefaultLeastPercent = 1;

void print_text(std::ostream& out, const report::Page& page, const Options& options) {
    const bool unrestricted = options.words.restrictions.empty() && !options.words.all;
    const double least_percent = options.least_percent.value_or(unrestricted ? kDefaultLeastPercent : 0);
    report::print_tree(out, page, {options.words.restrictions, least_percent, options.inverted});
}

}  // namespace

const ProfileReport kTreeReport{
    {"tree",
     "Prints the tree of call paths, the heaviest first. Recursion is folded into its outermost call: (rec x1000) are\n"
     "the calls folded there. With --inverted bottom-up: the functions with most time of their own, and through which callers\n"
     "it came.",
     kReport | kByProcess | kRestricted | kTree | kSelection},
    print_text,
    report::print_tree_json,
    report::print_tree_json_by_process};

int run_tree(const Arguments& arguments) { return run_profile_report(kTreeReport, arguments); }

}  // namespace fnprof::cli
