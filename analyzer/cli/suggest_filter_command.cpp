// fnprof-analyze suggest-filter: which functions to leave out of the instrumentation.
#include "cli/profile_report.h"
#include "report/filter_advice.h"

#include <filesystem>

namespace fnprof::cli {
namespace {

// Of the traces that are regular files.
uint64_t trace_bytes(const model::Profile& profile) {
    uint64_t bytes = 0;
    for (const model::Process& process : profile.processes) {
        std::error_code error;
        if (!std::filesystem::is_regular_file(process.trace, error)) return 0;
        bytes += std::filesystem::file_size(process.trace, error);
        if (error) return 0;
    }
    return bytes;
}

void print_text(std::ostream& out, const report::Page& page, const Options&) { report::print_filter_advice(out, page, trace_bytes(page.profile)); }

const ProfileReport kSuggestFilterReport{
    {"suggest-filter",
     "Prints the functions whose hooks cost more than the functions do, what leaving them out of the instrumentation would\n"
     "save, and the compiler flags and attributes for it.",
     kReport},
    print_text,
    report::print_filter_advice_json};

}  // namespace

int run_suggest_filter(const Arguments& arguments) { return run_profile_report(kSuggestFilterReport, arguments); }

}  // namespace fnprof::cli
