// fnprof-analyze check: whether a binary will be traced when it runs.
#include "check/check.h"
#include "check/print.h"
#include "cli/command.h"
#include "cli/exit_code.h"
#include "cli/options.h"
#include "symbol/debug_file.h"

#include <unistd.h>

#include <cstdlib>
#include <iostream>

namespace fnprof::cli {
namespace {

constexpr Interface kInterface{
    "check",
    "Says of programs and libraries whether they will be traced when they run, and what to change if not.\n"
    "Exit status: 0 all of them will be traced, 1 one cannot be read, 3 one will not be traced, or that depends on the\n"
    "program that loads it.",
    kBinaries};

bool has_debug_file(const std::string& path) {
    const auto file = symbol::ElfFile::open(path);
    return file && symbol::find_module_files(path, file->build_id(), {}).with_debug_info() != nullptr;
}

check::Outcome check_one(const std::string& path, const check::CheckOptions& options) {
    try {
        return {path, {}, check::check(path, options)};
    } catch (const check::Unreadable& error) {
        return {path, error.what(), {}};
    }
}

}  // namespace

int run_check(const Arguments& arguments) {
    const std::optional<Options> options = parse_options(kInterface, arguments);
    if (!options) return kFine;
    if (options->binaries.empty()) throw report::UsageError("check which binary? Name programs or libraries");
    check::CheckOptions settings;
    if (const char* path = std::getenv("LD_LIBRARY_PATH"); path != nullptr) settings.loader.library_path = path;
    settings.user = getuid();
    settings.group = getgid();
    settings.has_debug_file = has_debug_file;
    std::vector<check::Outcome> outcomes;
    int status = kFine;
    for (const std::string& path : options->binaries) {
        outcomes.push_back(check_one(path, settings));
        const check::Outcome& outcome = outcomes.back();
        if (!outcome.error.empty())
            status = kFailure;
        else if (status == kFine && outcome.report.verdict != check::Verdict::kTraced)
            status = kBroken;
        if (!outcome.error.empty()) std::cerr << "fnprof-analyze: " << outcome.error << '\n';
        if (outcome.error.empty() && !options->json) check::print_text(std::cout, outcome);
    }
    if (options->json) check::print_json(std::cout, outcomes);
    return status;
}

}  // namespace fnprof::cli
