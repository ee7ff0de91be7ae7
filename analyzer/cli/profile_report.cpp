#include "cli/profile_report.h"

#include "cli/exit_code.h"
#include "cli/pager.h"
#include "model/merge.h"
#include "report/empty.h"

#include <iostream>

namespace fnprof::cli {
namespace {

constexpr uint64_t kDefaultRows = 30;

// Names are of one profile, so each is reduced by itself, and they are added up again.
void select_each(LoadedProcesses& loaded, const Options& options) {
    model::Merger total;
    std::vector<std::string> remarks = std::move(loaded.total.integrity.remarks);
    for (size_t i = 0; i < loaded.profiles.size(); ++i) {
        report::Selected selected = report::select_paths(loaded.profiles[i], loaded.names[i], path_style(options), options.paths);
        loaded.profiles[i] = std::move(selected.profile);
        loaded.names[i] = std::move(selected.names);
        total.add(loaded.profiles[i]);
    }
    loaded.total = total.finish();
    loaded.total.integrity.remarks = std::move(remarks);
}

int run_by_process(const ProfileReport& report, const Options& options) {
    LoadedProcesses loaded = load_processes(options);
    if (options.paths.selects()) select_each(loaded, options);
    const report::Figures total_figures(loaded.total, options.raw);
    const report::Names no_names{std::vector<report::Name>()};
    const report::Page total = make_page(loaded.total, no_names, loaded.notes, total_figures, options);
    std::vector<report::Figures> figures;
    for (const model::Profile& profile : loaded.profiles) figures.emplace_back(profile, options.raw);
    std::vector<report::Page> unordered;
    for (size_t i = 0; i < figures.size(); ++i)
        unordered.push_back(make_page(loaded.profiles[i], loaded.names[i], {}, figures[i], options));
    const std::vector<report::ProcessPage> pages = report::in_process_order(std::move(unordered));
    if (options.json) {
        report.print_json_by_process(std::cout, total, pages);
        return exit_code(options, loaded.total, loaded.interrupted);
    }
    const Pager pager(options);
    report::print_heading(std::cout, total);
    std::cout << '\n';
    report::print_processes(std::cout, total, pages);
    for (size_t i = 0; i < pages.size(); ++i) {
        report::print_process_title(std::cout, pages, i);
        if (pages[i].page.profile.total_calls() == 0)
            report::print_heading(std::cout, pages[i].page);
        else
            report.print_text(std::cout, pages[i].page, options);
    }
    return exit_code(options, loaded.total, loaded.interrupted);
}

}  // namespace

void select(Loaded& loaded, const Options& options) {
    if (!options.paths.selects()) return;
    report::Selected selected = report::select_paths(loaded.profile, loaded.names, path_style(options), options.paths);
    loaded.profile = std::move(selected.profile);
    loaded.names = std::move(selected.names);
    loaded.notes.insert(loaded.notes.end(), selected.notes.begin(), selected.notes.end());
}

void print_report(std::ostream& out, const ProfileReport& report, const report::Page& page, const Options& options) {
    if (options.json) {
        report.print_json(out, page);
    } else if (report.needs_calls && page.profile.paths.empty() && !page.profile.reductions.empty()) {
        report::print_heading(out, page);
        out << "\n   Nothing is left by the selection.\n";
    } else if (report.needs_calls && page.profile.total_calls() == 0 && page.profile.reductions.empty()) {
        report::print_heading(out, page);
        report::print_likely_causes(out << '\n');
    } else {
        report.print_text(out, page, options);
    }
}

int exit_code(const Options& options, const model::Profile& profile, bool interrupted) {
    if (interrupted) return kInterrupted;
    if (!options.strict || profile.integrity.complete) return kFine;
    std::cerr << "fnprof-analyze: part of what was recorded is missing, see 'fnprof-analyze info' (exit status 4 because "
                 "of --strict)\n";
    return kDamaged;
}

int run_profile_report(const ProfileReport& report, const Arguments& arguments) {
    std::optional<Options> options = parse_options(report.interface, arguments);
    if (!options) return kFine;
    options->run.selection.activity = report.activity;
    if (options->by_process) return run_by_process(report, *options);
    Loaded loaded = load(*options, report.symbols);
    select(loaded, *options);
    const report::Figures figures(loaded.profile, options->raw);
    report::Page page = make_page(loaded.profile, loaded.names, loaded.notes, figures, *options);
    page.source_lines = [&](model::FunctionId id) { return loaded.source_lines(id); };
    const Pager pager(*options);
    print_report(std::cout, report, page, *options);
    return exit_code(*options, loaded.profile, loaded.interrupted);
}

std::vector<report::Restriction> table_restrictions(const Options& options) {
    if (options.words.restrictions.empty() && !options.words.all) return {report::FirstRows{kDefaultRows}};
    return options.words.restrictions;
}

}  // namespace fnprof::cli
