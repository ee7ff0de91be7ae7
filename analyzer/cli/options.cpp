#include "cli/options.h"

#include "cli/version.h"

#include <boost/program_options.hpp>

#include <fmt/format.h>

#include <iostream>

namespace fnprof::cli {
namespace {

namespace po = boost::program_options;

constexpr const char* kWords = R"(
Words after the options:
)";

constexpr const char* kTraceWords =
    R"(  a trace        a file, anything that ends in .zst, or - for standard input;
                 ./trace.zst if none is named; several are merged
)";

constexpr const char* kTableWords = R"(  20             the first 20 rows
  .1             the first tenth of the rows
  PATTERN        rows whose name matches the regular expression
  all            everything (without a restriction, a table ends after 30 rows)
Restrictions apply from the left to the right.
)";

constexpr const char* kThreadWords = R"(  20             the first 20 threads
  .1             the first tenth of them
  PATTERN        threads whose number or name matches the regular expression
  all            all of them (without a restriction, 30 are shown)
Restrictions apply from the left to the right.
)";

constexpr const char* kTreeWords = R"(  20             the 20 heaviest call paths
  .1             the heaviest tenth of them
  PATTERN        call paths through functions that match the regular expression
  all            everything
Callers of what is shown are shown too. Without a restriction and --min, call paths below 1 % of the time are hidden.
)";

void add_selection(po::options_description_easy_init& add, unsigned groups) {
    const auto text = [](const char* name) { return po::value<std::string>()->value_name(name); };
    if ((groups & kRun) != 0) {
        add("thread", text("T[,T...]"), "only calls made by these threads: a tid, a number as in the reports' threads, or a pattern of names");
        add("process", text("P[,P...]"), "only calls made by these processes: a pid, or a pattern of programs' names");
        add("time-range", text("A~B"),
            "only the time from A to B, since the start of the run (10ms~1.5s, 10ms~, ~10ms), or without units in seconds of the monotonic clock. "
            "Of a call that began before, or goes on after, the time inside counts; it is counted as a call where it began");
    }
    if ((groups & kSizes) != 0) {
        add("min-time", text("TIME"), "take calls that took less than TIME (10us; as measured) for a part of their callers");
        add("max-depth", po::value<int64_t>()->value_name("N"), "take calls deeper than N for a part of their callers; calls without a caller have depth 1");
    }
    if ((groups & kPaths) != 0) {
        add("focus", text("PATTERN"), "only what is called, directly or not, through a function whose label matches, and that function");
        add("ignore", text("PATTERN"), "without that");
        add("hide", text("PATTERN"), "take functions that match off the call paths; their time is their callers'");
        add("show-from", text("PATTERN"), "begin call paths at their first function that matches; drop those without one");
        add("by", text("WHAT"), "take functions together by file, line, module or namespace (the default: function)");
    }
}

// Not a command's: for looking through arguments whose command is not known yet.
constexpr unsigned kEveryGroup = ~0U;

po::options_description visible_options(const Interface& interface) {
    po::options_description options("Options");
    auto add = options.add_options();
    const bool every = interface.groups == kEveryGroup;
    const bool reads = (interface.groups & kLoaded) == 0 || every;
    add("help,h", "print this help");
    add("version", "print the version");
    if ((interface.groups & kSort) != 0) {
        add("sort,s", po::value<std::string>()->value_name("KEY[,KEY...]")->default_value("cumulative"),
            ("sort by these keys, or unique beginnings of them: " + report::sort_key_names()).c_str());
        add("reverse,r", "in the opposite order");
    }
    if ((interface.groups & kDiff) != 0) {
        if ((interface.groups & kSort) == 0) {
            add("sort,s", po::value<std::string>()->value_name("KEY[,KEY...]"),
                ("sort by how much these figures changed (without the option: by what explains most): " + report::sort_key_names()).c_str());
            add("reverse,r", "in the opposite order");
        }
        add("fail-on", po::value<std::string>()->value_name("CONDITIONS"),
            "exit with status 3 if one of these changes, such as 'total > +5%; cumtime(parse) > +2ms', is there and more than noise");
    }
    if ((interface.groups & kConditions) != 0) {
        add("absent", po::value<std::vector<std::string>>()->value_name("FUNCTION")->composing(),
            "a function of the conditions that may be missing: it has 0 calls then (may be repeated)");
        add("md", "print Markdown, for a comment in a code review");
    }
    // `sort` itself is there once where all commands' options are looked through.
    if ((interface.groups & kThreads) != 0 && !every) {
        add("sort,s", po::value<std::string>()->value_name("KEY[,KEY...]"),
            ("sort by these keys, or unique beginnings of them (without the option: busy): " + report::thread_key_names()).c_str());
        add("reverse,r", "in the opposite order");
    }
    if ((interface.groups & kEdges) != 0) {
        add("edge-sort", po::value<std::string>()->value_name("KEY[,KEY...]"),
            "sort each function's callers or callees by these keys (without the option: by cumulative time)");
        add("edge-reverse", "its callers or callees in the opposite order");
        if (reads) add("lines", "tell callers or callees apart by the source line of the call");
        add("edge-limit", po::value<std::string>()->value_name("N|FRACTION"),
            "show the first N, or that fraction, of each function's callers or callees, and what the others weigh");
    }
    if ((interface.groups & (kReport | kBinaries)) != 0) add("json", "print JSON, everything, never cut");
    if ((interface.groups & kTable) != 0) add("pstats", "print the columns and fixed units of Python's pstats");
    if ((interface.groups & kTree) != 0) {
        add("inverted", "bottom-up: each function's own time by its callers");
        add("min", po::value<double>()->value_name("PERCENT"), "hide call paths below this share of the total time");
    }
    add_selection(add, interface.groups & (reads ? ~0U : ~(kRun | kSizes)));
    if ((interface.groups & kByProcess) != 0)
        add("by-process", "one report for each process, parents before their children");
    if ((interface.groups & kOutput) != 0)
        add("output,o", po::value<std::string>()->value_name("FILE"),
            (interface.groups & kExport) != 0 ? "write to FILE (-: to standard output)" : "write to FILE and leave the trace as it is");
    if (((interface.groups & kBinaries) == 0 && reads) || every)
        add("all-processes", "add the traces of the other processes of the same run");
    if ((interface.groups & (kReport | kExport)) == 0) return options;
    add("raw", "times as measured, the hooks' own cost included");
    if (reads) add("debug-dir", po::value<std::vector<std::string>>()->value_name("DIR")->composing(),
        "look for debug files in DIR first (may be repeated)");
    if (reads) add("strict", "exit with status 4 if part of what was recorded is missing");
    if ((interface.groups & kReport) == 0) return options;
    add("full-paths", "print source paths in full (without the option: relative to the current directory)");
    add("strip-dirs", "print source files without their directories; functions that look alike then stay apart");
    add("width", po::value<int64_t>()->value_name("COLUMNS"),
        "cut names to lines of that many columns (0: never; without the option: the terminal's, in a pipe 200)");
    if (reads) add("no-pager", "print to the terminal, not through $FNPROF_PAGER, $PAGER or less");
    add("color", po::value<std::string>()->value_name("WHEN")->default_value("auto"), "auto, always or never");
    return options;
}

std::string_view usage_words(unsigned groups) {
    if ((groups & kBinaries) != 0) return " [OPTION...] BINARY...";
    if ((groups & kDiff) != 0) return " [OPTION...] A... -- B... [RESTRICTION...]";
    if ((groups & kConditions) != 0) return " 'CONDITION; ...' [OPTION...] [TRACE...]";
    if ((groups & kExport) != 0) return " FORMAT [OPTION...] [TRACE...]";
    if ((groups & kLoaded) != 0) return (groups & kRestricted) != 0 ? " [OPTION...] [RESTRICTION...]" : " [OPTION...]";
    return (groups & kRestricted) != 0 ? " [OPTION...] [TRACE...] [RESTRICTION...]" : " [OPTION...] [TRACE...]";
}

void print_help(const Interface& interface, const po::options_description& options) {
    std::cout << "usage: " << ((interface.groups & kLoaded) != 0 ? "" : "fnprof-analyze ") << interface.command << usage_words(interface.groups)
              << "\n\n"
              << interface.summary << "\n\n"
              << options;
    if ((interface.groups & kRestricted) == 0) return;
    std::cout << kWords << ((interface.groups & kLoaded) != 0 ? "" : kTraceWords) << ((interface.groups & kTree) != 0      ? kTreeWords
                                                                                                  : (interface.groups & kThreads) != 0 ? kThreadWords
                                                                                                                                        : kTableWords);
}

// Boost would read -1 as the greatest number there is.
size_t parse_width(int64_t columns) {
    if (columns < 0) throw report::UsageError(fmt::format("--width {} is no number of columns", columns));
    return static_cast<size_t>(columns);
}

report::Restriction parse_edge_limit(const std::string& word) {
    if (const auto amount = report::parse_amount(word)) return *amount;
    throw report::UsageError(fmt::format("--edge-limit {} is neither a number nor a fraction", word));
}

double parse_percent(double percent) {
    if (percent >= 0 && percent <= 100) return percent;
    throw report::UsageError(fmt::format("--min {} is no share: write a percentage from 0 to 100", percent));
}

report::Granularity parse_by(const std::string& word) {
    if (const auto granularity = report::parse_granularity(word)) return *granularity;
    throw report::UsageError(fmt::format("--by {} is unknown; it can be function, file, line, module or namespace", word));
}

Colour parse_colour(const std::string& word) {
    if (word == "auto") return Colour::kAuto;
    if (word == "always") return Colour::kAlways;
    if (word == "never") return Colour::kNever;
    throw report::UsageError(fmt::format("--color {} is unknown; it can be auto, always or never", word));
}

void take_selection(const po::variables_map& values, Options& options) {
    const auto pass = [&](const char* name, auto take) {
        if (values.count(name) != 0) take(values[name].as<std::string>());
    };
    pass("thread", [&](const std::string& words) { options.run.set_threads(words); });
    pass("process", [&](const std::string& words) { options.run.set_processes(words); });
    pass("time-range", [&](const std::string& words) { options.run.set_time_range(words); });
    if (values.count("max-depth") != 0) options.run.set_most_depth(values["max-depth"].as<int64_t>());
    pass("min-time", [&](const std::string& words) { options.run.set_least_time(words); });
    pass("focus", [&](const std::string& words) { options.paths.focus.emplace("--focus", words); });
    pass("ignore", [&](const std::string& words) { options.paths.ignore.emplace("--ignore", words); });
    pass("hide", [&](const std::string& words) { options.paths.hide.emplace("--hide", words); });
    pass("show-from", [&](const std::string& words) { options.paths.show_from.emplace("--show-from", words); });
    pass("by", [&](const std::string& words) { options.paths.by = parse_by(words); });
}

po::options_description with_words(const po::options_description& visible) {
    po::options_description all;
    all.add(visible);
    all.add_options()("word", po::value<std::vector<std::string>>());
    return all;
}

// The result refers to `all`.
po::parsed_options parse(const po::options_description& all, const std::vector<std::string>& arguments) {
    po::positional_options_description positional;
    positional.add("word", -1);
    // No guessing: an abbreviation that works today must not mean another option tomorrow.
    constexpr int kStyle = po::command_line_style::unix_style & ~po::command_line_style::allow_guessing;
    return po::command_line_parser(arguments).options(all).positional(positional).style(kStyle).run();
}

po::variables_map values_of(const po::options_description& visible, const std::vector<std::string>& arguments) {
    const po::options_description all = with_words(visible);
    po::variables_map values;
    po::store(parse(all, arguments), values);
    po::notify(values);
    return values;
}

}  // namespace

std::optional<size_t> first_word(const std::vector<std::string>& arguments) {
    const po::options_description every_option =
        with_words(visible_options({"", "", kEveryGroup}));
    try {
        const po::parsed_options parsed = parse(every_option, arguments);
        size_t index = 0;
        for (const po::option& option : parsed.options) {
            if (option.position_key >= 0) return index;
            index += option.original_tokens.size();
        }
    } catch (const po::error&) {
        // Whoever parses in earnest says what is wrong.
    }
    return std::nullopt;
}

std::optional<Options> parse_options(const Interface& interface, const std::vector<std::string>& arguments, const Options& defaults) {
    const po::options_description visible = visible_options(interface);
    po::variables_map values;
    try {
        values = values_of(visible, arguments);
    } catch (const po::error& error) {
        throw report::UsageError(fmt::format("{}; see fnprof-analyze {} --help", error.what(), interface.command));
    }
    if (values.count("help") != 0) {
        print_help(interface, visible);
        return std::nullopt;
    }
    if (values.count("version") != 0) {
        print_version(std::cout);
        return std::nullopt;
    }
    Options options = defaults;
    options.json |= values.count("json") != 0;
    if ((interface.groups & kBinaries) != 0) {
        if (values.count("word") != 0) options.binaries = values["word"].as<std::vector<std::string>>();
        return options;
    }
    const std::vector<std::string> words = values.count("word") != 0 ? values["word"].as<std::vector<std::string>>() : std::vector<std::string>();
    options.words = (interface.groups & kLoaded) != 0 ? classify_restrictions(words) : classify(words);
    if ((interface.groups & kRestricted) == 0 && !options.words.restrictions.empty())
        throw report::UsageError(fmt::format("{} takes {}no restrictions or patterns", interface.command,
                                             (interface.groups & kLoaded) != 0 ? "" : "traces, "));
    if (values.count("debug-dir") != 0) options.debug_dirs = values["debug-dir"].as<std::vector<std::string>>();
    const auto given = [&](const char* name) { return values.count(name) != 0; };
    options.all_processes |= given("all-processes");
    options.strict |= given("strict");
    options.raw |= given("raw");
    if (given("full-paths") && given("strip-dirs"))
        throw report::UsageError("--full-paths and --strip-dirs contradict each other");
    if (given("full-paths") || given("strip-dirs")) {
        options.full_paths = given("full-paths");
        options.strip_dirs = given("strip-dirs");
    }
    options.markdown |= given("md");
    if (options.json && options.markdown) throw report::UsageError("--json and --md are two forms of one report; choose one");
    if (given("fail-on")) options.fail_on = values["fail-on"].as<std::string>();
    if (given("absent")) {
        const auto& more = values["absent"].as<std::vector<std::string>>();
        options.absent.insert(options.absent.end(), more.begin(), more.end());
    }
    options.pstats = given("pstats");
    options.inverted = given("inverted");
    options.by_process = given("by-process");
    if (given("output")) options.output = values["output"].as<std::string>();
    if (given("color") && !values["color"].defaulted()) options.colour = parse_colour(values["color"].as<std::string>());
    if (given("width")) options.width = parse_width(values["width"].as<int64_t>());
    take_selection(values, options);
    if ((interface.groups & kThreads) != 0) {
        if (given("sort")) options.thread_order = report::parse_thread_order(values["sort"].as<std::string>());
        options.thread_order.reversed = given("reverse");
        return options;
    }
    if (given("sort") && (!values["sort"].defaulted() || options.order.fields.empty()))
        options.order = report::parse_order(values["sort"].as<std::string>());
    if (given("reverse")) options.order.reversed = !options.order.reversed;
    if (given("edge-sort") || given("edge-reverse"))
        options.edge_order = report::parse_order(given("edge-sort") ? values["edge-sort"].as<std::string>() : "cumulative");
    options.edge_order.reversed = given("edge-reverse");
    options.by_line = given("lines");
    options.no_pager = given("no-pager");
    if (given("edge-limit")) options.edge_limit = parse_edge_limit(values["edge-limit"].as<std::string>());
    if (given("min")) options.least_percent = parse_percent(values["min"].as<double>());
    return options;
}

}  // namespace fnprof::cli
