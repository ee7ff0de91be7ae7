#include "cli/load.h"

#include "cli/siblings.h"
#include "cli/terminal.h"
#include "model/aggregate.h"
#include "symbol/symbolizer.h"
#include "trace/trace_error.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <set>

namespace fnprof::cli {
namespace {

constexpr size_t kSiblingsNamed = 3;
constexpr const char* kStandardInput = "/dev/stdin";

std::string missing_trace(const std::string& trace, const Words& words) {
    if (words.trace_named) return fmt::format("no trace {}", trace);
    std::string text = fmt::format("no trace: there is no ./{} here, and no other was named", trace);
    for (const std::string& directory : words.directories)
        text += fmt::format(" ({} is a directory and was taken for a pattern; name the trace in it)", directory);
    return text;
}

// Each file once; `notes` tells of those named more than once.
std::vector<std::string> trace_paths(const Words& words, std::vector<std::string>& notes) {
    if (std::ranges::count(words.traces, "-") > 1)
        throw report::UsageError("standard input can be read once: '-' is there twice");
    std::vector<std::string> paths;
    std::set<std::string> seen;
    for (const std::string& trace : words.traces) {
        const std::string path = trace == "-" ? kStandardInput : trace;
        std::error_code error;
        // What cannot be looked at is no missing trace: reading it says why.
        if (std::filesystem::status(path, error).type() == std::filesystem::file_type::not_found)
            throw MissingTrace(missing_trace(trace, words));
        const std::string file = std::filesystem::weakly_canonical(path, error).string();
        if (error || seen.insert(file).second)
            paths.push_back(path);
        else
            notes.push_back(fmt::format("{} is named more than once and was read once", trace));
    }
    return paths;
}

std::vector<std::string> notes_on_directories(const std::vector<std::string>& debug_dirs) {
    std::vector<std::string> notes;
    for (const std::string& directory : debug_dirs)
        if (std::error_code error; !std::filesystem::is_directory(directory, error))
            notes.push_back(fmt::format("--debug-dir {} is no directory", directory));
    return notes;
}

std::string sibling_note(const std::vector<std::string>& siblings) {
    std::string names;
    for (size_t i = 0; i < std::min(siblings.size(), kSiblingsNamed); ++i) names += (i == 0 ? "" : ", ") + siblings[i];
    if (siblings.size() > kSiblingsNamed) names += fmt::format(" and {} more", siblings.size() - kSiblingsNamed);
    return fmt::format("{} of the same run {} not in this report; add {} with --all-processes", names,
                       siblings.size() == 1 ? "is" : "are", siblings.size() == 1 ? "it" : "them");
}

std::string current_directory() {
    std::error_code error;
    return std::filesystem::current_path(error).string();
}

}  // namespace

Loaded load(const Options& options, Symbols symbols) {
    if (options.json && !options.words.restrictions.empty())
        std::cerr << "fnprof-analyze: --json prints everything; the restrictions are ignored\n";
    std::vector<std::string> notes = notes_on_directories(options.debug_dirs);
    std::vector<std::string> paths = trace_paths(options.words, notes);
    std::vector<std::string> siblings;
    if (std::ranges::find(paths, kStandardInput) == paths.end()) siblings = unread_siblings(paths);
    if (options.all_processes)
        paths.insert(paths.end(), siblings.begin(), siblings.end());
    else if (!siblings.empty())
        notes.push_back(sibling_note(siblings));

    try {
        symbol::Symbolizer symbolizer(options.debug_dirs);
        model::AggregateOptions aggregation;
        aggregation.name_around = [&](const model::Module& module, uint64_t address) {
            return symbolizer.name_around(module.path, module.build_id, address);
        };
        aggregation.size_at = [&](const model::Module& module, uint64_t address) {
            return symbolizer.size_at(module.path, module.build_id, address);
        };
        model::Profile profile = model::aggregate(paths, aggregation);
        if (symbols == Symbols::kNotNeeded)
            return {std::move(profile), report::Names(std::vector<report::Name>()), std::move(notes)};
        report::Names names(profile, symbolizer);
        for (std::string& remark : symbolizer.remarks()) notes.push_back(std::move(remark));
        return {std::move(profile), std::move(names), std::move(notes)};
    } catch (const trace::TraceError& error) {
        if (error.kind() == trace::TraceError::Kind::kEmpty) throw MissingTrace(error.what());
        throw;
    }
}

report::Page make_page(const Loaded& loaded, const report::Figures& figures, const Options& options) {
    return {loaded.profile,
            loaded.names,
            figures,
            {current_directory(), options.full_paths},
            page_width(options),
            page_wrap(options),
            page_colour(options),
            loaded.notes};
}

}  // namespace fnprof::cli
