// fnprof-analyze complete WORD...: what the last word may become, one candidate a line. Shells ask it (completion/); it is in no help.
#include "cli/command.h"
#include "cli/exit_code.h"
#include "cli/profile_report.h"
#include "export/format.h"
#include "report/order.h"
#include "report/text.h"
#include "symbol/demangle.h"
#include "trace/trace_error.h"
#include "trace/trace_file.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <iostream>
#include <set>
#include <sstream>

namespace fnprof::cli {
namespace {

using Candidates = std::set<std::string>;

constexpr std::array<std::string_view, 3> kColours{"auto", "always", "never"};

void add(Candidates& to, std::string_view candidate, std::string_view begun) {
    if (candidate.starts_with(begun)) to.emplace(candidate);
}

// As the command's own help has them.
Candidates options_of(const Command& command, std::string_view begun) {
    std::ostringstream help;
    std::streambuf* const standard = std::cout.rdbuf(help.rdbuf());
    command.run({"--help"});
    std::cout.rdbuf(standard);
    Candidates options;
    std::istringstream words(help.str());
    for (std::string word; words >> word;)
        if (word.starts_with("--") && word.size() > 2) add(options, word.substr(0, word.find_first_of("=,.;'")), begun);
    return options;
}

// Of a sort order's last key; several are separated by commas.
Candidates sort_keys(const std::string& begun) {
    const size_t comma = begun.rfind(',');
    const std::string before = comma == std::string::npos ? "" : begun.substr(0, comma + 1);
    Candidates keys;
    for (const report::SortKey& key : report::sort_keys()) add(keys, before + std::string(key.name), begun);
    return keys;
}

// Functions of the traces among the words, or of ./trace.zst. Only what a trace says of names is read, not its records.
Candidates functions(const Arguments& words, std::string_view begun) {
    Arguments traces;
    for (const std::string& word : words)
        if (std::error_code error; word.ends_with(".zst") && std::filesystem::is_regular_file(word, error)) traces.push_back(word);
    if (traces.empty()) traces.emplace_back("trace.zst");
    Candidates names;
    for (const std::string& trace : traces) {
        try {
            trace::TraceFile(trace).metadata().names.for_each([&](uint32_t, uint64_t, const trace::FunctionName& name) {
                const std::string function = report::unqualified_name(symbol::demangle(std::string(name.mangled)));
                // Operators and lambdas are nothing to type.
                if (!function.empty() && (std::isalnum(static_cast<unsigned char>(function.front())) != 0 || function.front() == '_')) add(names, function, begun);
            });
        } catch (const trace::TraceError&) {
            // Nothing can be completed from it; the command itself will say what is wrong with it.
        }
    }
    return names;
}

Candidates candidates(const Arguments& words) {
    Candidates found;
    const std::string begun = words.empty() ? "" : words.back();
    const std::string before = words.size() < 2 ? "" : words[words.size() - 2];
    const auto named = std::ranges::find(commands(), words.empty() ? std::string_view() : std::string_view(words.front()), &Command::name);
    const bool first = words.size() <= 1;
    const Command& command = first || named == commands().end() ? commands().front() : *named;
    if (before == "-s" || before == "--sort" || before == "--edge-sort") return sort_keys(begun);
    if (before == "--color") {
        for (const std::string_view colour : kColours) add(found, colour, begun);
        return found;
    }
    if (begun.starts_with("-")) return options_of(command, begun);
    if (command.name == "export" && words.size() == 2) {
        for (const exporter::Format& format : exporter::formats()) add(found, format.name, begun);
        return found;
    }
    if (first)
        for (const Command& one : commands())
            if (!one.summary.empty()) add(found, one.name, begun);
    if (command.report != nullptr && (command.report->interface.groups & kRestricted) != 0) found.merge(functions(words, begun));
    return found;
}

}  // namespace

int run_complete(const Arguments& words) {
    for (const std::string& candidate : candidates(words)) std::cout << candidate << '\n';
    return kFine;
}

}  // namespace fnprof::cli
