// fnprof-analyze info: what a trace knows of its run.
#include "cli/reports.h"
#include "report/info.h"
#include "report/json.h"

namespace fnprof::cli {
namespace {

void print_text(std::ostream& out, const report::Page& page, const Options&) { report::print_info(out, page); }

}  // namespace

const ProfileReport kInfoReport{
    {"info", "Prints what the traces know of their run: process, clock, threads, modules, integrity.", kReport},
    print_text,
    report::print_info_json,
    nullptr,
    Symbols::kNotNeeded,
    false};

int run_info(const Arguments& arguments) { return run_profile_report(kInfoReport, arguments); }

}  // namespace fnprof::cli
