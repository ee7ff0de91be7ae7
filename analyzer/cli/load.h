// From the command line's traces to what reports are made of.
#pragma once

#include "cli/options.h"
#include "model/profile.h"
#include "report/figures.h"
#include "report/names.h"
#include "report/page.h"
#include "symbol/symbolizer.h"

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace fnprof::cli {

struct Loaded {
    model::Profile profile;
    report::Names names;
    std::vector<std::string> notes;  // beside the profile's own remarks
    bool interrupted = false;        // by the user, who wants to see what is known
    std::shared_ptr<symbol::Symbolizer> symbolizer;

    symbol::SourceLines source_lines(model::FunctionId id) const;
};

// There is no trace to read; the likely causes belong under the message.
class MissingTrace : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

enum class Symbols { kWanted, kWithCallSites, kNotNeeded };

// The traces that the words name, each once, and with --all-processes those of the same runs; `notes` gets what the user should know
// of that. Throws MissingTrace.
std::vector<std::string> wanted_traces(const Options& options, std::vector<std::string>& notes);

// Reads, merges and symbolizes. Throws MissingTrace, and what reading throws. Symbols::kNotNeeded spares the search for
// debug information; `names` is empty then. kWithCallSites: call paths are told apart by call site, as with options.by_line.
Loaded load(const Options& options, Symbols symbols = Symbols::kWanted);

// The traces each by itself, and added up.
struct LoadedProcesses {
    model::Profile total;
    std::vector<model::Profile> profiles;
    std::vector<report::Names> names;  // of each profile
    std::vector<std::string> notes;
    bool interrupted = false;
};
LoadedProcesses load_processes(const Options& options);

// The traces as runs: those of processes of one run are one profile. With --raw the durations of calls are as measured too.
struct LoadedRuns {
    std::vector<model::Profile> profiles;
    std::vector<report::Names> names;  // of each profile
    std::vector<std::string> notes;
    bool interrupted = false;
};
LoadedRuns load_runs(const Options& options);

// How the options want source paths printed.
report::PathStyle path_style(const Options& options);

// The page for standard output. `profile`, `names` and `figures` must outlive it.
report::Page make_page(const model::Profile& profile, const report::Names& names, const std::vector<std::string>& notes,
                       const report::Figures& figures, const Options& options);

}  // namespace fnprof::cli
