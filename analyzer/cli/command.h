// The subcommands: one a file, each registered in the table of command.cpp.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fnprof::cli {

// The words after the subcommand's name.
using Arguments = std::vector<std::string>;

struct ProfileReport;

struct Command {
    std::string_view name;
    std::string_view summary;  // empty: it is for shells, and no help names it
    int (*run)(
        const Arguments& arguments);  // returns an ExitCode; throws report::UsageError and what reading traces throws
    const ProfileReport* report = nullptr;  // null: it is no report on a profile
};

// The first one is the default.
std::span<const Command> commands();

int run_report(const Arguments& arguments);
int run_suggest_filter(const Arguments& arguments);
int run_tree(const Arguments& arguments);
int run_callers(const Arguments& arguments);
int run_callees(const Arguments& arguments);
int run_list(const Arguments& arguments);
int run_paths(const Arguments& arguments);
int run_hist(const Arguments& arguments);
int run_slow(const Arguments& arguments);
int run_diff(const Arguments& arguments);
int run_check_budget(const Arguments& arguments);
int run_threads(const Arguments& arguments);
int run_info(const Arguments& arguments);
int run_browse(const Arguments& arguments);
int run_export(const Arguments& arguments);
int run_recover(const Arguments& arguments);
int run_check(const Arguments& arguments);
int run_complete(const Arguments& arguments);

}  // namespace fnprof::cli
