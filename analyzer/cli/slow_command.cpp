// fnprof-analyze slow: the calls that took longest.
#include "cli/reports.h"
#include "report/json.h"
#include "report/slowest.h"

#include <limits>
#include <variant>

namespace fnprof::cli {
namespace {

constexpr size_t kDefaultCalls = 20;

// Patterns choose functions; a number is one of calls.
void print_text(std::ostream& out, const report::Page& page, const Options& options) {
    report::SlowestOptions slowest{.order = options.order, .restrictions = {}, .rows = kDefaultCalls};
    if (options.words.all) slowest.rows = std::numeric_limits<size_t>::max();
    for (const report::Restriction& restriction : options.words.restrictions) {
        if (const auto* rows = std::get_if<report::FirstRows>(&restriction)) {
            slowest.rows = rows->count;
        } else {
            slowest.restrictions.push_back(restriction);
        }
    }
    report::print_slowest(out, page, slowest);
}

}  // namespace

const ProfileReport kSlowReport{
    {"slow",
     "Prints the calls that took longest, with their start since that of the process, thread and call path. Of several\n"
     "functions those calls come first that lie furthest above their own function's median.",
     kReport | kRestricted | kSelection},
    print_text,
    report::print_slowest_json};

int run_slow(const Arguments& arguments) { return run_profile_report(kSlowReport, arguments); }

}  // namespace fnprof::cli
