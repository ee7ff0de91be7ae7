// fnprof-analyze: picks the subcommand and turns what it throws into messages and exit codes.
#include "cli/command.h"
#include "cli/exit_code.h"
#include "cli/fatal.h"
#include "cli/load.h"
#include "cli/options.h"
#include "report/empty.h"
#include "report/order.h"

#include <algorithm>
#include <iostream>
#include <new>
#include <stdexcept>

namespace fnprof::cli {
namespace {

// What a command prints is checked here, once for all: a full disk must not look like success.
void finish_output() {
    if (!std::cout.flush())
        throw std::runtime_error("standard output could not be written: is the disk full, or its reader gone?");
}

void print_help() {
    std::cout
        << "usage: fnprof-analyze [COMMAND] [OPTION...] [TRACE...] [RESTRICTION...]\n\n"
           "Reports on traces that programs linked with fnprof have written (./trace.zst if none is named).\n\nCommands:\n";
    for (const Command& command : commands()) {
        if (command.summary.empty()) continue;
        std::string name(command.name);
        name.resize(std::max<size_t>(name.size(), 15), ' ');
        std::cout << "  " << name << ' ' << command.summary << '\n';
    }
    std::cout << "\n'fnprof-analyze COMMAND --help' explains a command; 'fnprof-analyze --version' prints the version.\n\n"
                 "Exit status: 0 fine, 1 unreadable input or a failure of fnprof-analyze, 2 wrong usage, "
                 "3 what was asked about does not hold (check: a binary will not be traced; check-budget, diff --fail-on: a condition\n"
                 "holds that must not), 4 damaged input (with --strict), 130 interrupted: what was known has been printed.\n\nThe default command:\n\n";
    commands().front().run({"--help"});
}

const Command* find_command(const std::string& name) {
    const auto found = std::ranges::find(commands(), std::string_view(name), &Command::name);
    return found == commands().end() ? nullptr : &*found;
}

int dispatch(Arguments arguments) {
    if (arguments.empty()) return commands().front().run(arguments);
    if (arguments[0] == "--help" || arguments[0] == "-h" || arguments[0] == "help") {
        const Command* asked = arguments.size() > 1 ? find_command(arguments[1]) : nullptr;
        if (asked != nullptr) return asked->run({"--help"});
        print_help();
        return kFine;
    }
    // Options may stand before the command. Where one of them is unknown only the first word is looked at, so that the command's own help
    // is named.
    const size_t word = first_word(arguments).value_or(0);
    const Command* command = find_command(arguments[word]);
    if (command == nullptr) return commands().front().run(arguments);
    arguments.erase(arguments.begin() + static_cast<std::ptrdiff_t>(word));
    return command->run(arguments);
}

int guarded(const Arguments& arguments) {
    try {
        const int status = dispatch(arguments);
        finish_output();
        return status;
    } catch (const report::UsageError& error) {
        std::cerr << "fnprof-analyze: " << error.what() << '\n';
        return kUsage;
    } catch (const MissingTrace& error) {
        std::cerr << "fnprof-analyze: " << error.what() << '\n';
        report::print_likely_causes(std::cerr);
        return kFailure;
    } catch (const std::bad_alloc&) {
        std::cerr << "fnprof-analyze: out of memory\n";
        return kFailure;
    } catch (const std::exception& error) {
        std::cerr << "fnprof-analyze: " << error.what() << '\n';
        return kFailure;
    }
}

}  // namespace
}  // namespace fnprof::cli

int main(int argc, char** argv) {
    std::ios::sync_with_stdio(false);
    fnprof::cli::install_fatal_report();
    return fnprof::cli::guarded({argv + 1, argv + std::max(argc, 1)});
}
