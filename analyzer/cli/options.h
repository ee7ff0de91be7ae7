// The options of all subcommands, parsed by Boost.Program_options, which no other file but options.cpp includes.
#pragma once

#include "cli/run_words.h"
#include "cli/words.h"
#include "report/order.h"
#include "report/path_selection.h"
#include "report/thread_table.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fnprof::cli {

enum class Colour { kAuto, kAlways, kNever };

struct Options {
    Words words;
    // which traces, and how they are read
    std::vector<std::string> debug_dirs;
    bool all_processes = false;
    bool strict = false;
    bool by_process = false;
    std::vector<std::string> binaries;
    std::string output;  // empty: none was named
    // how the report looks
    bool json = false;
    bool raw = false;
    bool full_paths = false;
    bool strip_dirs = false;
    bool pstats = false;
    Colour colour = Colour::kAuto;
    bool no_pager = false;
    std::optional<size_t> width;
    report::Order order;
    report::Order edge_order;  // of callers or callees within a function; without fields: none was asked for
    std::optional<report::Restriction> edge_limit;
    bool by_line = false;  // calls by the source line that makes them
    std::optional<double> least_percent;
    bool inverted = false;
    // comparisons and budgets
    bool markdown = false;
    std::string fail_on;               // empty: nothing
    std::vector<std::string> absent;   // functions that may be missing
    // what is left out
    report::ThreadOrder thread_order;
    RunWords run;
    report::PathSelection paths;
};

// What a subcommand understands beside traces, --help and --version.
enum OptionGroup : unsigned {
    kRestricted = 1,
    kSort = 2,
    kTable = 4,
    kTree = 8,
    kReport = 16,      // how a profile is read and printed
    kOutput = 32,      // one file is written
    kByProcess = 64,
    kBinaries = 128,   // the words are programs and libraries, not traces
    kEdges = 256,      // rows of edges within rows of functions
    kExport = 512,     // a profile is read and written as it is, not printed
    kLoaded = 1024,    // the traces have been read already: no word is one, no option is about reading
    kConditions = 2048,  // figures are judged, and there is a form for comments in reviews
    kDiff = 4096,        // two sets of traces, with an order of their own
    kRun = 8192,       // part of the run can be selected
    kSizes = 16384,     // calls of some size can be
    kPaths = 32768,     // part of the call paths can be, or how coarsely they are shown
    kThreads = 65536,  // rows are threads
    kSelection = kRun | kSizes | kPaths,
};

struct Interface {
    std::string_view command;
    std::string_view summary;
    unsigned groups = 0;
};

// Which of the arguments is the first that is no option and no option's value; nothing: none is, or the options are wrong.
std::optional<size_t> first_word(const std::vector<std::string>& arguments);

// Nothing when --help or --version was asked for and has been printed. What is not asked for is as in `defaults`. Throws report::UsageError.
std::optional<Options> parse_options(const Interface& interface, const std::vector<std::string>& arguments, const Options& defaults = {});

}  // namespace fnprof::cli
