// fnprof-analyze info: what a trace knows of its run.
#include "cli/command.h"
#include "cli/exit_code.h"
#include "cli/load.h"
#include "report/info.h"
#include "report/order.h"

#include <iostream>

namespace fnprof::cli {
namespace {

constexpr Interface kInterface{
    "info", "Prints what the traces know of their run: process, clock, threads, modules, integrity.", "[TRACE...]", 0};

}  // namespace

int run_info(const Arguments& arguments) {
    const std::optional<Options> options = parse_options(kInterface, arguments);
    if (!options) return kFine;
    if (!options->words.restrictions.empty()) throw report::UsageError("info takes traces, no restrictions or patterns");
    const Loaded loaded = load(*options, Symbols::kNotNeeded);
    const report::Figures figures(loaded.profile, options->raw);
    report::print_info(std::cout, make_page(loaded, figures, *options));
    return finish(loaded, *options);
}

}  // namespace fnprof::cli
