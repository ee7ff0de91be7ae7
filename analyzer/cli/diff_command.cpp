// fnprof-analyze diff: some runs against others.
#include "cli/command.h"
#include "cli/exit_code.h"
#include "cli/load.h"
#include "cli/options.h"
#include "cli/pager.h"
#include "cli/profile_report.h"
#include "compare/align.h"
#include "compare/change.h"
#include "report/budget.h"
#include "report/diff.h"
#include "report/empty.h"

#include <algorithm>
#include <iostream>
#include <stdexcept>

namespace fnprof::cli {
namespace {

using compare::kA;
using compare::kB;
using compare::Side;

constexpr Interface kInterface{
    "diff",
    "Compares the runs A with the runs B: first a verdict, then of each function what it explains of the difference, the exact\n"
    "change of its calls, of its own time (split into count, mix of callers and percall), and of a call's duration, with a 95 %\n"
    "interval: from the runs where a side has several, else from how much the calls differ. Two traces need no --.",
    kReport | kRestricted | kConditions | kDiff};

constexpr const char* kWhatToWrite =
    "name the runs before the change, then --, then those after it: fnprof-analyze diff A1.zst A2.zst -- B1.zst B2.zst (two traces need no --)";

using Sides = std::array<Options, 2>;

// Options count whichever side they stand on, and so do restrictions. Nothing: help was asked for.
std::optional<Sides> sides_of(const Arguments& arguments) {
    const auto split = split_at_dashes(arguments);
    const std::optional<Options> left = parse_options(kInterface, split ? split->first : arguments);
    if (!left) return std::nullopt;
    Sides sides{*left, *left};
    if (split) {
        if (split_at_dashes(split->second)) throw report::UsageError(std::string("there is a second --; ") + kWhatToWrite);
        const std::optional<Options> right = parse_options(kInterface, split->second, *left);
        if (!right) return std::nullopt;
        if (!left->words.trace_named || !right->words.trace_named)
            throw report::UsageError(std::string("there is no trace ") + (left->words.trace_named ? "behind" : "in front of") + " the --; " + kWhatToWrite);
        sides = {*right, *right};
        sides[kA].words = left->words;
    } else {
        const std::vector<std::string>& traces = left->words.traces;
        if (!left->words.trace_named || traces.size() != 2)
            throw report::UsageError(std::string(traces.size() > 2 ? "which of these traces are A, which are B? " : "diff needs two traces; ") +
                                     kWhatToWrite);
        sides[kA].words.traces = {traces[0]};
        sides[kB].words.traces = {traces[1]};
        sides[kB].words.restrictions.clear();
    }
    const auto reads_input = [](const Options& side) { return std::ranges::count(side.words.traces, "-") > 0; };
    if (reads_input(sides[kA]) && reads_input(sides[kB])) throw report::UsageError("standard input can be read once: '-' is on both sides");
    return sides;
}

std::vector<compare::Run> runs_of(const LoadedRuns& loaded) {
    std::vector<compare::Run> runs;
    for (size_t i = 0; i < loaded.profiles.size(); ++i) {
        compare::Run run{loaded.profiles[i], {}};
        for (model::FunctionId id = 0; id < run.profile.functions.size(); ++id) {
            const model::Function& function = run.profile.functions[id];
            const report::Name& name = loaded.names[i][id];
            compare::Identity identity{name.module, {}, function.offset, name.mangled, name.file};
            if (function.module != model::kNone) identity.build_id = run.profile.modules[function.module].build_id;
            run.functions.push_back(std::move(identity));
        }
        runs.push_back(std::move(run));
    }
    return runs;
}

// As B has it, if it knows the source; else as A has it, whose files may be gone.
report::Names names_of(const compare::Aligned& runs, const std::array<LoadedRuns, 2>& loaded) {
    std::vector<report::Name> names;
    for (model::FunctionId id = 0; id < runs.size(); ++id) {
        const report::Name* best = nullptr;
        for (const Side side : {kB, kA}) {
            if (!runs.in(side, id)) continue;
            const compare::Place place = *runs.places[side][id];
            const report::Name& name = loaded[side].names[place.run][place.function];
            if (best == nullptr || (best->file.empty() && !name.file.empty())) best = &name;
        }
        names.push_back(*best);
    }
    return report::Names(std::move(names));
}

std::vector<std::string> notes_of(const std::array<LoadedRuns, 2>& loaded) {
    std::vector<std::string> notes = loaded[kA].notes;
    for (const std::string& note : loaded[kB].notes)
        if (std::ranges::find(notes, note) == notes.end()) notes.push_back(note);
    return notes;
}

}  // namespace

int run_diff(const Arguments& arguments) {
    std::optional<Sides> sides = sides_of(arguments);
    if (!sides) return kFine;
    Options options = (*sides)[kB];
    std::vector<report::Restriction>& restrictions = options.words.restrictions;
    restrictions.insert(restrictions.begin(), (*sides)[kA].words.restrictions.begin(), (*sides)[kA].words.restrictions.end());
    options.words.all |= (*sides)[kA].words.all;
    if (options.json && !restrictions.empty()) std::cerr << "fnprof-analyze: --json prints everything; the restrictions are ignored\n";
    std::vector<report::Condition> conditions;
    if (!options.fail_on.empty()) conditions = report::parse_conditions(options.fail_on);
    if (conditions.empty() && !options.absent.empty()) throw report::UsageError("--absent is about conditions, and there is no --fail-on");

    std::array<LoadedRuns, 2> loaded;
    for (const Side side : {kA, kB}) {
        (*sides)[side].words.restrictions.clear();
        loaded[side] = load_runs((*sides)[side]);
        if (loaded[side].interrupted) throw std::runtime_error("interrupted; nothing was compared");
    }
    const compare::Comparison comparison = compare::compare(compare::align(runs_of(loaded[kA]), runs_of(loaded[kB])), options.raw);
    const auto& total = comparison.runs.total;
    for (const Side side : {kA, kB}) {
        if (total[side].total_calls() != 0) continue;
        std::cerr << "fnprof-analyze: there are no calls in " << (*sides)[side].words.traces.front() << ": nothing to compare\n";
        report::print_likely_causes(std::cerr);
        return kFailure;
    }
    const report::Names names = names_of(comparison.runs, loaded);
    const report::Figures figures_a(total[kA], options.raw), figures_b(total[kB], options.raw);
    const report::Page page = make_page(total[kB], names, notes_of(loaded), figures_b, options);
    report::DiffPage diff{comparison, page, {figures_a, figures_b}, report::probable_renamings(comparison.runs, names), {}};
    diff.conditions = report::judge_changes(diff, conditions, options.absent);
    const report::DiffOptions how{options.order, table_restrictions(options)};
    const Pager pager(options);
    if (options.json)
        report::print_diff_json(std::cout, diff);
    else
        (options.markdown ? report::print_diff_markdown : report::print_diff)(std::cout, diff, how);
    if (report::any_holds(diff.conditions)) return kBroken;
    const int status = exit_code(options, total[kA], false);
    return status != kFine ? status : exit_code(options, total[kB], false);
}

}  // namespace fnprof::cli
