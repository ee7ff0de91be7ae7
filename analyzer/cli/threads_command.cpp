// fnprof-analyze threads: what each thread did, and when.
#include "cli/reports.h"
#include "report/json.h"
#include "report/threads.h"

namespace fnprof::cli {
namespace {

void print_text(std::ostream& out, const report::Page& page, const Options& options) {
    report::print_threads(out, page, {options.thread_order, table_restrictions(options)});
}

}  // namespace

const ProfileReport kThreadsReport{
    {"threads",
     "Prints the threads: life, calls, time in instrumented code (busy) and its share of the life, time that fnprof took, lost\n"
     "records; and over time when each was busy, and how many were at once. Restrictions choose threads by number and name.",
     kReport | kRestricted | kThreads | kRun},
    print_text,
    report::print_threads_json,
    nullptr,
    Symbols::kNotNeeded,
    true,
    true};

int run_threads(const Arguments& arguments) { return run_profile_report(kThreadsReport, arguments); }

}  // namespace fnprof::cli
