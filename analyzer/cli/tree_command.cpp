// fnprof-analyze tree: the call-path tree.
#include "cli/command.h"
#include "cli/exit_code.h"
#include "cli/load.h"
#include "report/empty.h"
#include "report/json.h"
#include "report/tree.h"

#include <iostream>

namespace fnprof::cli {
namespace {

constexpr Interface kInterface{
    "tree",
    "Prints the tree of call paths, the heaviest first. Recursion is folded into its outermost call: (rec x1000) are\n"
    "the calls folded there.",
    "[TRACE...] [RESTRICTION...]", kJson | kTree};

}  // namespace

int run_tree(const Arguments& arguments) {
    const std::optional<Options> options = parse_options(kInterface, arguments);
    if (!options) return kFine;
    const Loaded loaded = load(*options);
    const report::Figures figures(loaded.profile, options->raw);
    const report::Page page = make_page(loaded, figures, *options);
    if (options->json) {
        report::print_tree_json(std::cout, loaded.profile, loaded.names);
    } else if (loaded.profile.total_calls() == 0) {
        report::print_heading(std::cout, page);
        report::print_likely_causes(std::cout << '\n');
    } else {
        report::print_tree(std::cout, page, {options->words.restrictions, options->least_percent});
    }
    return finish(loaded, *options);
}

}  // namespace fnprof::cli
