// A comparison for a comment in a code review.
#include "report/diff.h"

#include "report/budget.h"
#include "report/diff_cells.h"
#include "report/markdown.h"
#include "report/text.h"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <ostream>

namespace fnprof::report {
namespace {

using compare::kA;
using compare::kB;
using compare::Side;

void print_runs(std::ostream& out, const DiffPage& diff) {
    const compare::Comparison& comparison = diff.comparison;
    MarkdownTable table({"", "runs", "calls", "time"}, {Align::kLeft, Align::kRight, Align::kRight, Align::kRight});
    for (const Side side : {kA, kB})
        table.add({side == kA ? "A" : "B", fmt::format("{}", comparison.run_count(side)), fmt::format("{:.0f}", comparison.total_calls[side]),
                   format_time(comparison.total_ps[side])});
    table.print(out);
    fmt::print(out, "\n");
}

void print_notes(std::ostream& out, const DiffPage& diff) {
    std::vector<std::string> lines;
    for (const Side side : {kA, kB})
        for (const std::string& line : integrity_lines(diff.comparison.runs.total[side])) lines.push_back(fmt::format("{}: {}", side == kA ? "A" : "B", line));
    for (const std::string& note : diff.page.notes) lines.push_back(note);
    for (const Renaming& one : diff.renamed)
        lines.push_back(fmt::format("Probably renamed: {} (A) is {} (B)", diff.page.names.label(one.a, diff.page.paths),
                                    diff.page.names.label(one.b, diff.page.paths)));
    for (const std::string& line : lines) fmt::print(out, "> {}\\\n", markdown_text(line));
    if (!lines.empty()) fmt::print(out, "\n");
}

}  // namespace

void print_diff_markdown(std::ostream& out, const DiffPage& diff, const DiffOptions& options) {
    fmt::print(out, "**{}**\n\n", markdown_text(verdict(diff)));
    if (!diff.conditions.empty()) fmt::print(out, "{}:\n\n", markdown_text(conditions_verdict(diff.conditions)));
    print_conditions_markdown(out, diff.conditions);
    print_runs(out, diff);
    print_notes(out, diff);
    const Selection selection = select(sorted_changes(diff, options.order), options.restrictions, diff.page.names, diff.page.paths);
    MarkdownTable table({"explains", "function", "calls", "tottime", "count", "mix", "percall", "a call in A", "in B", "change"},
                        {Align::kRight, Align::kLeft, Align::kRight, Align::kRight, Align::kRight, Align::kRight, Align::kRight, Align::kRight,
                         Align::kRight, Align::kRight});
    for (const model::FunctionId id : selection.shown) {
        const ChangeCells cells = change_cells(diff, id);
        const auto text = [](const std::string& cell) { return markdown_text(cell); };
        table.add({cells.share.empty() ? text(cells.explained) : text(cells.share + "%"), markdown_code(diff.page.names.label(id, diff.page.paths)),
                   text(cells.calls), text(cells.tottime), text(cells.count), text(cells.mix), text(cells.per_call), text(cells.call_a), text(cells.call_b),
                   text(cells.call_change)});
    }
    table.print(out);
    if (!selection.hidden.empty()) fmt::print(out, "\n{} not shown.\n", counted(selection.hidden.size(), "more function"));
    fmt::print(out, "\n<details><summary>What the columns mean</summary>\n\n");
    for (const std::string& line : definitions(diff)) fmt::print(out, "- {}\n", markdown_text(line));
    fmt::print(out, "\n</details>\n");
}

}  // namespace fnprof::report
