#include "cli/command.h"

#include <array>

namespace fnprof::cli {
namespace {

constexpr std::array<Command, 11> kCommands{{
    {"report", "the table of functions (the default)", run_report},
    {"tree", "the call-path tree", run_tree},
    {"callers", "who calls each function", run_callers},
    {"callees", "what each function calls", run_callees},
    {"paths", "the call paths on which a function is called", run_paths},
    {"hist", "how long a function's calls took", run_hist},
    {"slow", "the calls that took longest", run_slow},
    {"info", "what a trace knows of its run", run_info},
    {"export", "writes the profile in the format of another tool", run_export},
    {"recover", "makes a killed process's files one complete trace", run_recover},
    {"check", "whether a binary will be traced, and what to change", run_check},
}};

}  // namespace

std::span<const Command> commands() { return kCommands; }

}  // namespace fnprof::cli
