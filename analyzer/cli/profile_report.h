// How every report on a profile runs: options in, traces read, text or JSON out. A command adds what it prints.
#pragma once

#include "cli/command.h"
#include "cli/load.h"
#include "report/by_process.h"
#include "report/page.h"
#include "report/restriction.h"

#include <iosfwd>
#include <span>
#include <vector>

namespace fnprof::cli {

struct ProfileReport {
    Interface interface;
    void (*print_text)(std::ostream& out, const report::Page& page, const Options& options);
    void (*print_json)(std::ostream& out, const report::Page& page);
    // With --by-process; null: there is no such thing.
    void (*print_json_by_process)(std::ostream& out, const report::Page& total, std::span<const report::ProcessPage> pages) = nullptr;
    Symbols symbols = Symbols::kWanted;
    // Without any call the likely causes are printed in the text's place.
    bool needs_calls = true;
    // Threads are wanted with their activity.
    bool activity = false;
};

// The command's exit code. Throws as parse_options() and load() do.
int run_profile_report(const ProfileReport& report, const Arguments& arguments);

// Takes from the profile what the options leave out of its call paths.
void select(Loaded& loaded, const Options& options);

// As text or, where `options` say so, as JSON.
void print_report(std::ostream& out, const ProfileReport& report, const report::Page& page, const Options& options);

// kFine, kInterrupted, or with --strict kDamaged and a line that says so.
int exit_code(const Options& options, const model::Profile& profile, bool interrupted);

// What a table is restricted to: the user's words, or pstats' custom of a screenful.
std::vector<report::Restriction> table_restrictions(const Options& options);

}  // namespace fnprof::cli
