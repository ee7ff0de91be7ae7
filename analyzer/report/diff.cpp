// Two layouts, as of callers: one line a function where the page has room for the figures and a name; else a paragraph each.
#include "report/diff.h"

#include "report/budget.h"
#include "report/diff_cells.h"
#include "report/labels.h"
#include "report/no_match.h"
#include "report/remarks.h"
#include "report/text.h"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <ostream>

namespace fnprof::report {
namespace {

using compare::kA;
using compare::kB;
using compare::Side;
using model::FunctionId;

// A name of fewer columns says too little.
constexpr size_t kLeastNameColumns = 36;
constexpr size_t kMostRenamed = 10;
constexpr size_t kMostTraces = 3;

std::string run_line(const DiffPage& diff, Side side) {
    const compare::Comparison& comparison = diff.comparison;
    const model::Profile& total = comparison.runs.total[side];
    const size_t runs = comparison.run_count(side);
    std::string traces;
    for (size_t i = 0; i < std::min(kMostTraces, total.processes.size()); ++i) traces += (i == 0 ? "" : ", ") + printable(total.processes[i].trace);
    if (total.processes.size() > kMostTraces) traces += fmt::format(" and {} more", total.processes.size() - kMostTraces);
    return fmt::format("{}: {}: {:.0f} calls, {}{}", side == kA ? "A" : "B", traces, comparison.total_calls[side],
                       format_time(std::max<Picoseconds>(comparison.total_ps[side], 0)), runs == 1 ? "" : fmt::format(" (means of {} runs)", runs));
}

void print_renamed(std::ostream& out, const DiffPage& diff) {
    const std::vector<Renaming>& renamed = diff.renamed;
    for (size_t i = 0; i < std::min(kMostRenamed, renamed.size()); ++i)
        print_wrapped(out, diff.page, fmt::format("Probably renamed: {} (A) is {} (B){}", diff.page.names.label(renamed[i].a, diff.page.paths),
                                                  diff.page.names.label(renamed[i].b, diff.page.paths),
                                                  renamed[i].same_line ? ", the same line of the source; their figures are kept apart"
                                                                       : ", by name, callers and callees; their figures are kept apart"));
    if (renamed.size() > kMostRenamed)
        print_wrapped(out, diff.page, fmt::format("{} more were probably renamed; --json lists them", renamed.size() - kMostRenamed));
}

void print_heading(std::ostream& out, const DiffPage& diff) {
    const Page& page = diff.page;
    fmt::print(out, "{}\n\n", inked(page, Ink::kTitle, verdict(diff)));
    if (!diff.conditions.empty()) fmt::print(out, "{}\n\n", conditions_verdict(diff.conditions));
    print_conditions(out, page, diff.conditions);
    for (const Side side : {kA, kB}) print_wrapped(out, page, run_line(diff, side));
    for (const Side side : {kA, kB}) {
        for (const std::string& line : integrity_lines(diff.comparison.runs.total[side]))
            print_wrapped(out, page, fmt::format("Note on {}: {}", side == kA ? "A" : "B", line));
    }
    for (const std::string& note : page.notes) print_wrapped(out, page, "Note: " + printable(note));
    print_renamed(out, diff);
}

// Room for the name behind `taken` columns.
std::vector<std::string> labels(const DiffPage& diff, const std::vector<FunctionId>& ids, size_t taken) {
    const size_t width = diff.page.width;
    const size_t room = width == 0 ? 0 : width > taken ? width - taken : 1;
    std::vector<LabelRow> rows;
    for (const FunctionId id : ids) rows.push_back({id, room});
    return distinct_labels(diff.page.names, diff.page.paths, rows, LabelForm::kPlaceFirst);
}

std::string tinted(const DiffPage& diff, FunctionId id, const std::string& text) {
    if (!total_differs(diff)) return text;
    const Picoseconds explained = diff.comparison.functions[id].explained.sum(), change = diff.comparison.change_ps();
    const double share = static_cast<double>(explained) / static_cast<double>(change);
    return share >= 0.2 ? inked(diff.page, Ink::kHot, text) : share >= 0.05 ? inked(diff.page, Ink::kWarm, text) : text;
}

// "count -2.105ms, percall -152.4us": those that there are.
std::string parts_text(const ChangeCells& cells) {
    std::string text;
    const auto add = [&](std::string_view name, const std::string& part) {
        if (part != "0") text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name, part);
    };
    add("count", cells.count);
    add("mix", cells.mix);
    add("percall", cells.per_call);
    return text;
}

std::string call_text(const ChangeCells& cells) {
    if (cells.call_a == "-") return cells.call_b == "-" ? std::string() : cells.call_b + " in B";
    if (cells.call_b == "-") return cells.call_a + " in A";
    return fmt::format("{} -> {} ({})", cells.call_a, cells.call_b, cells.call_change);
}

void print_paragraphs(std::ostream& out, const DiffPage& diff, const std::vector<FunctionId>& ids) {
    constexpr size_t kShareColumns = 8;
    const std::vector<std::string> names = labels(diff, ids, kShareColumns + 2);
    const std::string indent(kShareColumns + 2, ' ');
    for (size_t i = 0; i < ids.size(); ++i) {
        const ChangeCells cells = change_cells(diff, ids[i]);
        // Without shares the time that it explains stands in their place.
        fmt::print(out, "{:>{}}  {}\n", cells.share.empty() ? cells.explained : cells.share + "%", kShareColumns, tinted(diff, ids[i], names[i]));
        fmt::print(out, "{}{}calls {}\n", indent, cells.share.empty() ? "" : fmt::format("explains {}; ", cells.explained), cells.calls);
        if (cells.tottime != "0") fmt::print(out, "{}tottime {} = {}\n", indent, cells.tottime, parts_text(cells));
        if (const std::string call = call_text(cells); !call.empty()) fmt::print(out, "{}a call: {}\n", indent, call);
    }
}

void print_rows(std::ostream& out, const DiffPage& diff, const std::vector<FunctionId>& ids) {
    Grid grid({"explains%", "time", "calls", "tottime", "count", "mix", "percall", "call:A", "call:B", "change", "filename:lineno(function)"});
    for (const FunctionId id : ids) {
        const ChangeCells cells = change_cells(diff, id);
        grid.add({cells.share, cells.explained, "  " + cells.calls, "  " + cells.tottime, cells.count, cells.mix, cells.per_call, "  " + cells.call_a,
                  cells.call_b, cells.call_change, ""});
    }
    if (diff.page.width != 0 && grid.width() + kLeastNameColumns > diff.page.width) return print_paragraphs(out, diff, ids);
    const std::vector<std::string> names = labels(diff, ids, grid.width());
    for (size_t i = 0; i < ids.size(); ++i) grid.rows()[i].back() = tinted(diff, ids[i], names[i]);
    grid.print(out, diff.page);
}

void print_hidden(std::ostream& out, const DiffPage& diff, const std::vector<FunctionId>& hidden) {
    if (hidden.empty()) return;
    Picoseconds explained = 0;
    for (const FunctionId id : hidden) explained += diff.comparison.functions[id].explained.sum();
    print_wrapped(out, diff.page, fmt::format("{} not shown, which explain {} together; 'all' shows everything",
                                              counted(hidden.size(), "more function"), format_change(explained)));
}

}  // namespace

std::vector<std::string> definitions(const DiffPage& diff) {
    const compare::Comparison& comparison = diff.comparison;
    std::vector<std::string> lines;
    lines.push_back(fmt::format("Times: of a run, elapsed, waiting included, all threads added up; the hooks' own cost {}",
                                comparison.raw ? "is included" : "is taken out"));
    if (total_differs(diff))
        lines.push_back(
            "explains%: share of the change (as time in the next column) that goes back to the function: to how often a call of its caller calls it, "
            "with all that it calls, and to its own time a call; what is explained further up is not explained again, so all functions make 100%");
    else
        lines.push_back("explains%: none, since the totals do not differ as far as these runs can tell");
    lines.push_back(
        "tottime: its change = count (more or fewer calls at A's time a call) + mix (other shares of its callers, whose calls cost differently) + "
        "percall (the same callers' calls take longer or shorter): Kitagawa's decomposition at A's prices and B's calls");
    lines.push_back("call:A, call:B, change: mean duration of a call, callees included; " + basis_text(comparison));
    return lines;
}

std::vector<FunctionId> sorted_changes(const DiffPage& diff, const Order& order) {
    const std::vector<compare::FunctionChange>& functions = diff.comparison.functions;
    const auto size = [](Picoseconds ps) { return ps < 0 ? -ps : ps; };
    std::vector<FunctionId> ids(functions.size());
    for (FunctionId id = 0; id < ids.size(); ++id) ids[id] = id;
    std::ranges::stable_sort(ids, [&](FunctionId a, FunctionId b) {
        const Picoseconds of_a = size(functions[a].explained.sum()), of_b = size(functions[b].explained.sum());
        return of_a != of_b ? of_a > of_b : size(functions[a].self.change_ps()) > size(functions[b].self.change_ps());
    });
    if (order.fields.empty()) {
        if (order.reversed) std::ranges::reverse(ids);
        return ids;
    }
    // By the sizes of changes; ties stay as they are.
    const auto ns = [&](Picoseconds ps) { return static_cast<uint64_t>(size(ps) / 1000); };
    const auto change = [&](uint64_t a, uint64_t b) { return a > b ? a - b : b - a; };
    std::vector<SortRow> rows;
    for (const FunctionId id : ids) {
        const compare::FunctionChange& function = functions[id];
        const auto primitive = [&](Side side) { return diff.comparison.runs.total[side].stats[id].primitive_calls / diff.comparison.run_count(side); };
        const auto calls = [&](Side side) { return function.calls[side].sum / diff.comparison.run_count(side); };
        rows.push_back({id, change(calls(kA), calls(kB)), change(primitive(kA), primitive(kB)),
                        {ns(function.self.change_ps()), ns(function.cumulative.change_ps()), 0, 0}});
    }
    std::vector<FunctionId> sorted;
    for (const uint32_t row : sorted_rows(rows, diff.page.names, diff.figures[kB], diff.page.paths, order)) sorted.push_back(ids[row]);
    return sorted;
}

void print_diff(std::ostream& out, const DiffPage& diff, const DiffOptions& options) {
    print_heading(out, diff);
    const Selection selection = select(sorted_changes(diff, options.order), options.restrictions, diff.page.names, diff.page.paths);
    print_order(out, options.order.fields.empty() ? "what explains most of the change" : "change of " + options.order.description, selection.messages);
    if (!selection.unmatched.empty())
        return print_no_match(out, diff.page, {selection.unmatched, selection.searched, selection.matching_elsewhere, "function"});
    print_rows(out, diff, selection.shown);
    if (!selection.hidden.empty()) fmt::print(out, "\n");
    print_hidden(out, diff, selection.hidden);
    fmt::print(out, "\n");
    for (const std::string& line : definitions(diff)) print_wrapped(out, diff.page, line);
}

}  // namespace fnprof::report
