// fnprof-analyze callers and callees: the edges of the call graph, from either end.
#include "cli/command.h"
#include "cli/exit_code.h"
#include "cli/load.h"
#include "report/callers.h"
#include "report/empty.h"

#include <iostream>

namespace fnprof::cli {
namespace {

constexpr uint64_t kDefaultRows = 30;
constexpr Interface kCallersInterface{"callers",
                                      "Prints who calls each function, and what of the function's time each caller causes.",
                                      "[TRACE...] [RESTRICTION...]", kSort};
constexpr Interface kCalleesInterface{"callees", "Prints what each function calls, and the time spent there on its behalf.",
                                      "[TRACE...] [RESTRICTION...]", kSort};

int run(const Interface& interface, report::Direction direction, const Arguments& arguments) {
    const std::optional<Options> options = parse_options(interface, arguments);
    if (!options) return kFine;
    const Loaded loaded = load(*options);
    const report::Figures figures(loaded.profile, options->raw);
    const report::Page page = make_page(loaded, figures, *options);
    if (loaded.profile.total_calls() == 0) {
        report::print_heading(std::cout, page);
        report::print_likely_causes(std::cout << '\n');
        return finish(loaded, *options);
    }
    report::CallersOptions callers{direction, options->order, options->words.restrictions};
    if (callers.restrictions.empty() && !options->words.all)
        callers.restrictions.emplace_back(report::FirstRows{kDefaultRows});
    report::print_callers(std::cout, page, callers);
    return finish(loaded, *options);
}

}  // namespace

int run_callers(const Arguments& arguments) { return run(kCallersInterface, report::Direction::kCallers, arguments); }

int run_callees(const Arguments& arguments) { return run(kCalleesInterface, report::Direction::kCallees, arguments); }

}  // namespace fnprof::cli
