// fnprof-analyze report: pstats' table, or everything as JSON.
#include "cli/command.h"
#include "cli/exit_code.h"
#include "cli/load.h"
#include "report/empty.h"
#include "report/json.h"
#include "report/table.h"

#include <iostream>

namespace fnprof::cli {
namespace {

constexpr uint64_t kDefaultRows = 30;
constexpr Interface kInterface{
    "report", "Prints the table of functions: calls, time in the function itself, time with everything it calls.",
    "[TRACE...] [RESTRICTION...]", kJson | kSort | kTable};

}  // namespace

int run_report(const Arguments& arguments) {
    const std::optional<Options> options = parse_options(kInterface, arguments);
    if (!options) return kFine;
    const Loaded loaded = load(*options);
    const report::Figures figures(loaded.profile, options->raw);
    const report::Page page = make_page(loaded, figures, *options);
    if (options->json) {
        report::print_json(std::cout, loaded.profile, loaded.names);
    } else if (loaded.profile.total_calls() == 0) {
        report::print_heading(std::cout, page);
        report::print_likely_causes(std::cout << '\n');
    } else {
        report::TableOptions table{options->order, options->words.restrictions, options->pstats};
        if (table.restrictions.empty() && !options->words.all)
            table.restrictions.emplace_back(report::FirstRows{kDefaultRows});
        report::print_table(std::cout, page, table);
    }
    return finish(loaded, *options);
}

}  // namespace fnprof::cli
