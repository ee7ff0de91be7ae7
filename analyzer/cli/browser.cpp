#include "cli/browser.h"

#include "cli/command.h"
#include "cli/interrupt.h"
#include "cli/profile_report.h"
#include "report/nearest.h"
#include "report/text.h"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <array>
#include <ostream>

namespace fnprof::cli {

// What a word after the command can be.
enum class WordKind { kNone, kTrace, kSortKey, kFunction, kCommand };

// The commands that are no reports.
struct BrowserCommand {
    std::string_view name;
    std::string_view usage;
    std::string_view summary;
    WordKind words;
    void (*run)(Browser& browser, const Arguments& words);
};

struct BrowserCommands {
    static void read(Browser& browser, const Arguments& words) { browser.read(words.empty() ? browser.options_.words.traces : words); }

    static void add(Browser& browser, const Arguments& words) {
        if (words.empty()) throw report::UsageError("add which trace?");
        Arguments all = browser.options_.words.traces;
        all.insert(all.end(), words.begin(), words.end());
        browser.read(all);
    }

    static void sort(Browser& browser, const Arguments& words) {
        if (words.empty()) {
            fmt::print(browser.out_, "Sort keys, and any unique beginning of them; several, as tie-breakers, with commas or blanks between them:\n");
            for (const report::SortKey& key : report::sort_keys()) fmt::print(browser.out_, "  {:<16} {}\n", key.name, key.description);
            return;
        }
        std::string keys;
        for (const std::string& word : words) keys += (keys.empty() || keys.ends_with(',') ? "" : ",") + word;
        browser.options_.order = report::parse_order(keys);
    }

    static void reverse(Browser& browser, const Arguments&) { browser.options_.order.reversed = !browser.options_.order.reversed; }

    static void strip(Browser& browser, const Arguments&) {
        browser.options_.strip_dirs = true;
        browser.options_.full_paths = false;
    }

    static void quit(Browser& browser, const Arguments&) { browser.left_ = true; }

    static void help(Browser& browser, const Arguments& words);
};

namespace {

constexpr std::array<BrowserCommand, 8> kOwnCommands{{
    {"read", "read [TRACE...]", "reads other traces; without a word the same ones again", WordKind::kTrace, BrowserCommands::read},
    {"add", "add TRACE...", "adds traces to those that were read", WordKind::kTrace, BrowserCommands::add},
    {"sort", "sort [KEY...]", "the order of functions from now on; without a word the keys are listed", WordKind::kSortKey,
     BrowserCommands::sort},
    {"reverse", "reverse", "the opposite order from now on", WordKind::kNone, BrowserCommands::reverse},
    {"strip", "strip", "source files without their directories from now on", WordKind::kNone, BrowserCommands::strip},
    {"help", "help [COMMAND]", "this list, or what a command takes", WordKind::kCommand, BrowserCommands::help},
    {"quit", "quit", "leaves the browser, as Ctrl-D does", WordKind::kNone, BrowserCommands::quit},
    {"EOF", "EOF", "the same", WordKind::kNone, BrowserCommands::quit},
}};

// pstats' name of the table.
constexpr std::string_view kTable = "stats";

// The name that a report has here.
std::string_view browser_name(const Command& command) { return &command == &commands().front() ? kTable : command.name; }

const Command* find_report(std::string_view name) {
    for (const Command& command : commands())
        if (command.report != nullptr && (browser_name(command) == name || command.name == name)) return &command;
    return nullptr;
}

const BrowserCommand* find_own(std::string_view name) {
    const auto found = std::ranges::find(kOwnCommands, name, &BrowserCommand::name);
    return found == kOwnCommands.end() ? nullptr : &*found;
}

Arguments command_names() {
    Arguments names;
    for (const Command& command : commands())
        if (command.report != nullptr) names.emplace_back(browser_name(command));
    for (const BrowserCommand& command : kOwnCommands) names.emplace_back(command.name);
    return names;
}

WordKind word_kind(std::string_view command) {
    if (const BrowserCommand* own = find_own(command)) return own->words;
    const Command* found = find_report(command);
    return found != nullptr && (found->report->interface.groups & kRestricted) != 0 ? WordKind::kFunction : WordKind::kNone;
}

}  // namespace

void BrowserCommands::help(Browser& browser, const Arguments& words) {
    if (words.empty()) {
        for (const Command& command : commands()) {
            if (command.report == nullptr) continue;
            const bool restricted = (command.report->interface.groups & kRestricted) != 0;
            const std::string usage = fmt::format("{}{}", browser_name(command), restricted ? " [RESTRICTION...]" : "");
            fmt::print(browser.out_, "  {:<26} {}\n", usage, command.summary);
        }
        for (const BrowserCommand& command : kOwnCommands) fmt::print(browser.out_, "  {:<26} {}\n", command.usage, command.summary);
        fmt::print(browser.out_, "Restrictions are numbers of rows, fractions of them, and patterns that names have to match.\n");
        return;
    }
    if (const BrowserCommand* own = find_own(words.front())) {
        fmt::print(browser.out_, "{}: {}\n", own->usage, own->summary);
        return;
    }
    browser.dispatch({words.front(), "--help"});
}

Arguments split_line(std::string_view line) {
    Arguments words;
    bool inside = false;  // a word, perhaps an empty one
    char quote = 0;
    for (const char c : line) {
        if (quote != 0 ? c == quote : c == '\'' || c == '"') {
            quote = quote != 0 ? '\0' : c;
            if (!inside) words.emplace_back();
            inside = true;
        } else if (quote == 0 && (c == ' ' || c == '\t' || c == '\r')) {
            inside = false;
        } else {
            if (!inside) words.emplace_back();
            inside = true;
            words.back() += c;
        }
    }
    if (quote != 0) throw report::UsageError(fmt::format("a quote ({}) has no partner", quote));
    return words;
}

Browser::Browser(const Options& options, std::ostream& out, std::ostream& errors) : options_(options), out_(out), errors_(errors) {
    read(options.words.traces);
}

void Browser::read(const std::vector<std::string>& traces) {
    // Standard input is where the commands come from.
    if (std::ranges::find(traces, "-") != traces.end()) throw report::UsageError("the browser reads its commands from standard input, so '-' can be no trace");
    Options wanted = options_;
    wanted.words.traces = traces;
    wanted.words.trace_named = true;
    loaded_ = load(wanted);
    options_.words.traces = traces;
}

void Browser::print(const ProfileReport& report, std::string_view name, const Arguments& words) {
    const Interface interface{name, report.interface.summary, (report.interface.groups & ~unsigned{kByProcess}) | kLoaded};
    const std::optional<Options> options = parse_options(interface, words, options_);
    if (!options) return;
    std::optional<Loaded> reduced;
    if (options->paths.selects()) select(reduced.emplace(*loaded_), *options);
    const Loaded& shown = reduced ? *reduced : *loaded_;
    const report::Figures figures(shown.profile, options->raw);
    report::Page page = make_page(shown.profile, shown.names, shown.notes, figures, *options);
    page.commands = command_names();
    print_report(out_, report, page, *options);
}

void Browser::dispatch(const Arguments& words) {
    if (words.empty()) return;
    const Arguments rest(words.begin() + 1, words.end());
    if (const BrowserCommand* own = find_own(words.front())) return own->run(*this, rest);
    if (const Command* found = find_report(words.front())) return print(*found->report, words.front(), rest);
    const Arguments near = report::nearest(words.front(), command_names(), 1);
    throw report::UsageError(fmt::format("{} is no command{}; 'help' lists them", report::printable(words.front()),
                                         near.empty() ? "" : ", did you mean " + near.front() + "?"));
}

bool Browser::run(const std::string& line) {
    try {
        dispatch(split_line(line));
    } catch (const Interrupted&) {
        errors_ << "\nInterrupted\n";
        out_.clear();
    } catch (const std::exception& error) {
        errors_ << error.what() << '\n';
    }
    errors_.flush();
    return !left_;
}

std::string Browser::prompt() const {
    const std::vector<std::string>& traces = options_.words.traces;
    const std::string others = traces.size() == 1 ? "" : fmt::format(" and {} more", traces.size() - 1);
    return fmt::format("{}{}% ", report::printable(traces.front()), others);
}

std::optional<std::vector<std::string>> Browser::completions(std::string_view before, std::string_view word) const {
    const size_t start = before.find_first_not_of(" \t");
    Arguments candidates;
    if (start == std::string_view::npos) {
        candidates = command_names();
    } else {
        const std::string_view command = before.substr(start, before.find_first_of(" \t", start) - start);
        switch (word_kind(command)) {
            case WordKind::kTrace:
                return std::nullopt;
            case WordKind::kSortKey:
                for (const report::SortKey& key : report::sort_keys()) candidates.emplace_back(key.name);
                break;
            case WordKind::kFunction:
                candidates = report::function_words(loaded_->names);
                break;
            case WordKind::kCommand:
                candidates = command_names();
                break;
            case WordKind::kNone:
                break;
        }
    }
    std::erase_if(candidates, [&](const std::string& candidate) { return !candidate.starts_with(word); });
    return candidates;
}

}  // namespace fnprof::cli
