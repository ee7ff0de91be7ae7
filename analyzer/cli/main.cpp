// fnprof-analyze: picks the subcommand and turns what it throws into messages and exit codes.
#include "cli/command.h"
#include "cli/exit_code.h"
#include "cli/fatal.h"
#include "cli/load.h"
#include "report/empty.h"
#include "report/order.h"

#include <algorithm>
#include <iostream>
#include <new>

namespace fnprof::cli {
namespace {

void print_help() {
    std::cout
        << "usage: fnprof-analyze [COMMAND] [OPTION...] [TRACE...] [RESTRICTION...]\n\n"
           "Reports on traces that programs linked with fnprof have written (./trace.zst if none is named).\n\nCommands:\n";
    for (const Command& command : commands()) {
        std::string name(command.name);
        name.resize(std::max<size_t>(name.size(), 12), ' ');
        std::cout << "  " << name << ' ' << command.summary << '\n';
    }
    std::cout << "\n'fnprof-analyze COMMAND --help' explains a command; 'fnprof-analyze --version' prints the version.\n\n"
                 "Exit status: 0 fine, 1 unreadable input or a failure of fnprof-analyze, 2 wrong usage, 4 damaged input "
                 "(with --strict).\n";
}

int dispatch(Arguments arguments) {
    const Command* command = &commands().front();
    if (!arguments.empty()) {
        if (arguments[0] == "--help" || arguments[0] == "-h" || arguments[0] == "help") {
            print_help();
            return kFine;
        }
        if (arguments[0] == "--version") {
            std::cout << "fnprof-analyze " << FNPROF_VERSION << '\n';
            return kFine;
        }
        const auto named = std::ranges::find(commands(), std::string_view(arguments[0]), &Command::name);
        if (named != commands().end()) {
            command = &*named;
            arguments.erase(arguments.begin());
        }
    }
    return command->run(arguments);
}

int guarded(const Arguments& arguments) {
    try {
        return dispatch(arguments);
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
