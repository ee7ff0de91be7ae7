#include "cli/load.h"

#include "cli/command.h"
#include "cli/reading.h"
#include "cli/siblings.h"
#include "cli/terminal.h"
#include "model/aggregate.h"
#include "model/merge.h"
#include "model/process_tree.h"
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
    std::error_code error;
    const bool rings = std::filesystem::exists(trace + ".live", error);
    const std::string about_rings =
        rings ? fmt::format("; {}.live is there, but it holds only what its trace did not yet have: put the trace beside it", trace)
              : std::string();
    if (words.trace_named) return fmt::format("no trace {}{}", trace, about_rings);
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
    return fmt::format("{} of the same run {} not included; add {} with --all-processes", names,
                       siblings.size() == 1 ? "is" : "are", siblings.size() == 1 ? "it" : "them");
}

std::vector<std::string> command_names() {
    std::vector<std::string> names;
    for (const Command& command : commands())
        if (!command.summary.empty()) names.emplace_back(command.name);
    return names;
}

std::string current_directory() {
    std::error_code error;
    return std::filesystem::current_path(error).string();
}

}  // namespace

std::vector<std::string> wanted_traces(const Options& options, std::vector<std::string>& notes) {
    std::vector<std::string> paths = trace_paths(options.words, notes);
    std::vector<std::string> siblings;
    if (std::ranges::find(paths, kStandardInput) == paths.end()) siblings = unread_siblings(paths);
    if (options.all_processes)
        paths.insert(paths.end(), siblings.begin(), siblings.end());
    else if (!siblings.empty())
        notes.push_back(sibling_note(siblings));
    return paths;
}

namespace {

// What every way of loading does around its own; `read` gets the traces, their options and who knows names.
template <class Result, class Read>
Result load_with(const Options& options, Read read) {
    if (options.json && !options.words.restrictions.empty())
        std::cerr << "fnprof-analyze: --json prints everything; the restrictions are ignored\n";
    std::vector<std::string> notes = notes_on_directories(options.debug_dirs);
    const std::vector<std::string> paths = wanted_traces(options, notes);
    try {
        const auto shared = std::make_shared<symbol::Symbolizer>(options.debug_dirs);
        symbol::Symbolizer& symbolizer = *shared;
        model::AggregateOptions aggregation;
        InterruptNote interrupt;
        ReadingProgress progress;
        aggregation.go_on = [&](const model::ReadSoFar& so_far) {
            progress.update(so_far);
            return !InterruptNote::noted();
        };
        aggregation.call_sites = options.by_line;
        aggregation.name_around = [&](const model::Module& module, uint64_t address) {
            return symbolizer.name_around(module.path, module.build_id, address);
        };
        aggregation.selection = options.run.selection;
        aggregation.size_at = [&](const model::Module& module, uint64_t address) {
            return symbolizer.size_at(module.path, module.build_id, address);
        };
        Result result = read(paths, aggregation, shared);
        for (std::string& remark : symbolizer.remarks()) notes.push_back(std::move(remark));
        for (std::string& note : options.run.notes()) notes.push_back(std::move(note));
        result.notes.insert(result.notes.begin(), notes.begin(), notes.end());
        result.interrupted = InterruptNote::noted();
        return result;
    } catch (const trace::TraceError& error) {
        if (error.kind() == trace::TraceError::Kind::kEmpty) throw MissingTrace(error.what());
        throw;
    }
}

using Paths = std::vector<std::string>;

// Positions of the profiles, those of one run together: of processes that began one another.
std::vector<std::vector<size_t>> runs_of(const std::vector<model::Profile>& profiles) {
    std::vector<const model::Process*> processes;
    for (const model::Profile& profile : profiles) processes.push_back(&profile.processes.front());
    std::vector<std::vector<size_t>> runs;
    // Each stands behind the one that it came from.
    for (const model::ProcessNode& node : model::process_tree(processes)) {
        if (!node.parent) runs.emplace_back();
        runs.back().push_back(node.process);
    }
    return runs;
}

}  // namespace

Loaded load(const Options& options, Symbols symbols) {
    return load_with<Loaded>(options, [&](const Paths& paths, model::AggregateOptions aggregation, const std::shared_ptr<symbol::Symbolizer>& symbolizer) {
        aggregation.call_sites |= symbols == Symbols::kWithCallSites;
        model::Profile profile = model::aggregate(paths, aggregation);
        report::Names names = symbols != Symbols::kNotNeeded ? report::Names(profile, *symbolizer) : report::Names(std::vector<report::Name>());
        return Loaded{std::move(profile), std::move(names), {}, false, symbolizer};
    });
}

symbol::SourceLines Loaded::source_lines(model::FunctionId id) const {
    const model::Function& function = profile.functions[id];
    if (function.module == model::kNone || names[id].file.empty()) return {};
    const model::Module& module = profile.modules[function.module];
    return symbolizer->lines_of(module.path, module.build_id, function.offset, names[id].mangled);
}

LoadedProcesses load_processes(const Options& options) {
    return load_with<LoadedProcesses>(
        options, [&](const Paths& paths, const model::AggregateOptions& aggregation, const std::shared_ptr<symbol::Symbolizer>& symbolizer) {
            LoadedProcesses loaded;
            model::EachProfile each = model::aggregate_each(paths, aggregation);
            loaded.profiles = std::move(each.profiles);
            std::vector<model::Profile> all = loaded.profiles;
            all.push_back(std::move(each.left_out));
            loaded.total = model::merge(all);
            std::vector<std::string>& remarks = loaded.total.integrity.remarks;
            remarks.insert(remarks.end(), each.remarks.begin(), each.remarks.end());
            std::ranges::sort(remarks);
            for (const model::Profile& profile : loaded.profiles) loaded.names.emplace_back(profile, *symbolizer);
            return loaded;
        });
}

LoadedRuns load_runs(const Options& options) {
    return load_with<LoadedRuns>(options, [&](const Paths& paths, model::AggregateOptions aggregation, const std::shared_ptr<symbol::Symbolizer>& symbolizer) {
        aggregation.raw = options.raw;
        LoadedRuns loaded;
        model::EachProfile each = model::aggregate_each(paths, aggregation);
        for (const std::vector<size_t>& run : runs_of(each.profiles)) {
            std::vector<model::Profile> processes;
            for (const size_t i : run) processes.push_back(std::move(each.profiles[i]));
            loaded.profiles.push_back(model::unify_builds(model::merge(processes)));
        }
        for (const model::Profile& profile : loaded.profiles) loaded.names.emplace_back(profile, *symbolizer);
        loaded.notes = std::move(each.remarks);
        return loaded;
    });
}

report::PathStyle path_style(const Options& options) { return {current_directory(), options.full_paths, options.strip_dirs}; }

report::Page make_page(const model::Profile& profile, const report::Names& names, const std::vector<std::string>& notes,
                       const report::Figures& figures, const Options& options) {
    return {profile,
            names,
            figures,
            path_style(options),
            page_width(options),
            page_wrap(options),
            page_colour(options),
            notes,
            command_names(),
            page_utf8()};
}

}  // namespace fnprof::cli
