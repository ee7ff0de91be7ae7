#include "cli/command.h"

#include "cli/reports.h"

#include <array>

namespace fnprof::cli {
namespace {

constexpr std::array<Command, 18> kCommands{{
    {"report", "the table of functions (the default)", run_report, &kTableReport},
    {"tree", "the call-path tree", run_tree, &kTreeReport},
    {"callers", "who calls each function", run_callers, &kCallersReport},
    {"callees", "what each function calls", run_callees, &kCalleesReport},
    {"list", "a function's source with the calls that each line makes", run_list},
    {"paths", "the call paths on which a function is called", run_paths, &kPathsReport},
    {"hist", "how long a function's calls took", run_hist, &kHistReport},
    {"slow", "the calls that took longest", run_slow, &kSlowReport},
    {"diff", "what changed from some runs to others, and what explains it", run_diff},
    {"check-budget", "whether figures keep to their limits, for CI", run_check_budget},
    {"threads", "what each thread did, and when", run_threads, &kThreadsReport},
    {"info", "what a trace knows of its run", run_info, &kInfoReport},
    {"suggest-filter", "which functions to leave out of the instrumentation", run_suggest_filter},
    {"browse", "asks for one report after the other, as Python's pstats browser", run_browse},
    {"export", "writes the profile in the format of another tool", run_export},
    {"recover", "makes a killed process's files one complete trace", run_recover},
    {"check", "whether a binary will be traced, and what to change", run_check},
    {"complete", "", run_complete},
}};

}  // namespace

std::span<const Command> commands() { return kCommands; }

}  // namespace fnprof::cli
