#include "cli/profile_report.h"

#include "cli/exit_code.h"
#include "report/empty.h"

#include <iostream>

namespace fnprof::cli {
namespace {

constexpr uint64_t kDefaultRows = 30;

void print_text(const ProfileReport& report, const report::Page& page, const Options& options) {
    if (report.needs_calls && page.profile.total_calls() == 0) {
        report::print_heading(std::cout, page);
        report::print_likely_causes(std::cout << '\n');
    } else {
        report.print_text(std::cout, page, options);
    }
}

}  // namespace

int run_profile_report(const ProfileReport& report, const Arguments& arguments) {
    const std::optional<Options> options = parse_options(report.interface, arguments);
    if (!options) return kFine;
    const Loaded loaded = load(*options, report.symbols);
    const report::Figures figures(loaded.profile, options->raw);
    const report::Page page = make_page(loaded, figures, *options);
    if (options->json)
        report.print_json(std::cout, page);
    else
        print_text(report, page, *options);
    if (!options->strict || loaded.profile.integrity.complete) return kFine;
    std::cerr << "fnprof-analyze: part of what was recorded is missing, see 'fnprof-analyze info' (exit status 4 because "
                 "of --strict)\n";
    return kDamaged;
}

std::vector<report::Restriction> table_restrictions(const Options& options) {
    if (options.words.restrictions.empty() && !options.words.all) return {report::FirstRows{kDefaultRows}};
    return options.words.restrictions;
}

}  // namespace fnprof::cli
