// fnprof-analyze browse: one report after the other on traces that are read once.
#include "cli/browser.h"
#include "cli/command.h"
#include "cli/edited_lines.h"
#include "cli/exit_code.h"
#include "cli/interrupt.h"
#include "cli/options.h"

#include <unistd.h>

#include <iostream>

namespace fnprof::cli {
namespace {

constexpr Interface kInterface{
    "browse",
    "Reads traces once and prints reports on them as they are asked for, with the commands of Python's pstats browser:\n"
    "stats, callers, callees, sort, reverse, strip, read, add, help, quit, and the other reports of fnprof-analyze.\n"
    "Where standard input is no terminal it is read line by line.",
    kReport | kSort | kSelection};

void read_lines(Browser& browser) {
    for (std::string line; std::getline(std::cin, line);)
        if (!browser.run(line)) return;
}

void talk(Browser& browser) {
    std::cout << "'help' lists the commands; Ctrl-D leaves.\n";
    EditedLines lines([&](std::string_view before, std::string_view word) { return browser.completions(before, word); });
    while (const std::optional<std::string> line = lines.next(browser.prompt()))
        if (!browser.run(*line)) return;
    std::cout << '\n';
}

}  // namespace

int run_browse(const Arguments& arguments) {
    std::optional<Options> options = parse_options(kInterface, arguments);
    if (!options) return kFine;
    options->run.selection.activity = true;  // for its command `threads`
    if (options->json) throw report::UsageError("browse has no document of its own; its commands have: stats --json");
    InterruptibleOutput out(std::cout);
    Browser browser(*options, out, std::cerr);
    if (isatty(STDIN_FILENO) == 0 || isatty(STDOUT_FILENO) == 0) {
        read_lines(browser);
        return kFine;
    }
    remember_interrupts();
    talk(browser);
    return kFine;
}

}  // namespace fnprof::cli
