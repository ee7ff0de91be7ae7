#include "cli/command.h"

#include <array>

namespace fnprof::cli {
namespace {

constexpr std::array<Command, 5> kCommands{{
    {"report", "the table of functions (the default)", run_report},
    {"tree", "the call-path tree", run_tree},
    {"callers", "who calls each function", run_callers},
    {"callees", "what each function calls", run_callees},
    {"info", "what a trace knows of its run", run_info},
}};

}  // namespace

std::span<const Command> commands() { return kCommands; }

}  // namespace fnprof::cli
