// fnprof-analyze check-budget: figures against their limits.
#include "cli/command.h"
#include "cli/exit_code.h"
#include "cli/load.h"
#include "cli/options.h"
#include "cli/profile_report.h"
#include "report/budget.h"

#include <iostream>
#include <stdexcept>

namespace fnprof::cli {
namespace {

constexpr Interface kInterface{
    "check-budget",
    "Exits with status 3 if one of the conditions holds, the first word: 'parse p99 > 2ms; ncalls(lex) > 1e6'.\n"
    "Metrics: ncalls, primitive_calls, tottime, cumtime, percall_tottime, percall_cumtime, mean, min, p50, p90, p99, p99.9, max,\n"
    "stddev, first_call, each of a function, and total, total_calls. Operators: > >= < <= == !=. Times need a unit (ns us ms s);\n"
    "counts may have k, M or G; tottime and cumtime may be compared with a % of the total. A function that is not in the trace,\n"
    "or a name that several have, is an error (status 2); --absent FUNCTION says that one may be missing.",
    kReport | kConditions};

}  // namespace

int run_check_budget(const Arguments& arguments) {
    Arguments rest = arguments;
    std::string text;
    if (const std::optional<size_t> word = first_word(rest)) {
        text = rest[*word];
        rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(*word));
    }
    const std::optional<Options> options = parse_options(kInterface, rest);
    if (!options) return kFine;
    const std::vector<report::Condition> conditions = report::parse_conditions(text);
    const Loaded loaded = load(*options);
    if (loaded.interrupted) throw std::runtime_error("interrupted; nothing was judged");
    const report::Figures figures(loaded.profile, options->raw);
    const report::Page page = make_page(loaded.profile, loaded.names, loaded.notes, figures, *options);
    const std::vector<report::JudgedCondition> judged = report::judge_budget(page, conditions, options->absent);
    if (options->json)
        report::print_budget_json(std::cout, page, judged);
    else
        (options->markdown ? report::print_budget_markdown : report::print_budget)(std::cout, page, judged);
    return report::any_holds(judged) ? int{kBroken} : exit_code(*options, loaded.profile, false);
}

}  // namespace fnprof::cli
