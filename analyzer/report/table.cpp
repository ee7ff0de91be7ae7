#include "report/table.h"

#include "report/labels.h"
#include "report/no_match.h"
#include "report/text.h"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <ostream>

namespace fnprof::report {
namespace {

std::string name_title(const Page& page) {
    switch (page.names.granularity()) {
        case Granularity::kFunction: return "filename:lineno(function)";
        case Granularity::kLine: return "filename:lineno";
        case Granularity::kFile:
        case Granularity::kModule:
        case Granularity::kNamespace: break;
    }
    return std::string(row_word(page.names.granularity()));
}

std::string percent_cell(const Page& page, Amount amount) {
    return format_percent(std::max<Picoseconds>(amount.ps, 0), page.figures.total_ps());
}

std::vector<std::string> cells(const Page& page, model::FunctionId id) {
    const model::FunctionStats& stats = page.profile.stats[id];
    const Amount self = page.figures.self(stats.cost), cumulative = page.figures.cumulative(stats.cost);
    return {
        "   " + format_calls(stats.ncalls, stats.primitive_calls),
        format_amount(self),
        stats.ncalls == 0 ? "" : format_amount(Figures::per_call(self, stats.ncalls)),
        format_amount(cumulative),
        stats.primitive_calls == 0 ? "" : format_amount(Figures::per_call(cumulative, stats.primitive_calls)),
        percent_cell(page, self),
        percent_cell(page, cumulative),
        "",
    };
}

std::vector<std::string> labels_of(const Page& page, const std::vector<model::FunctionId>& ids, size_t room) {
    std::vector<LabelRow> rows;
    for (const model::FunctionId id : ids) rows.push_back({id, room});
    return distinct_labels(page.names, page.paths, rows, LabelForm::kPlaceFirst);
}

void print_units(std::ostream& out, const Page& page, const std::vector<model::FunctionId>& rows) {
    Grid grid({"   ncalls", "tottime", "percall", "cumtime", "percall", "self%", "cum%", name_title(page)});
    for (const model::FunctionId id : rows) grid.add(cells(page, id));
    const size_t before = grid.width();
    // At least the function must fit: names are not cut below that, see cut_name.
    const size_t room = page.width == 0 ? 0 : page.width > before ? page.width - before : 1;
    const std::vector<std::string> labels = labels_of(page, rows, room);
    for (size_t i = 0; i < rows.size(); ++i) {
        const Amount self = page.figures.self(page.profile.stats[rows[i]].cost);
        const double share =
            page.figures.total_ps() > 0 ? static_cast<double>(self.ps) / static_cast<double>(page.figures.total_ps()) : 0;
        grid.rows()[i].back() = share >= 0.2    ? inked(page, Ink::kHot, labels[i])
                                : share >= 0.05 ? inked(page, Ink::kWarm, labels[i])
                                                : labels[i];
    }
    grid.print(out, page);
}

void print_pstats(std::ostream& out, const Page& page, const std::vector<model::FunctionId>& rows) {
    fmt::print(out, "   ncalls  tottime  percall  cumtime  percall {}\n", name_title(page));
    const std::string blank(8, ' ');
    const std::vector<std::string> labels = labels_of(page, rows, 0);
    size_t next = 0;
    for (const model::FunctionId id : rows) {
        const model::FunctionStats& stats = page.profile.stats[id];
        const Picoseconds self = page.figures.self(stats.cost).ps, cumulative = page.figures.cumulative(stats.cost).ps;
        const auto per_call = [&](Picoseconds ps, uint64_t calls) {
            return calls == 0 ? blank : pstats_seconds(Figures::per_call({ps, 0}, calls).ps);
        };
        fmt::print(out, "{:>9} {} {} {} {} {}\n", format_calls(stats.ncalls, stats.primitive_calls), pstats_seconds(self),
                   per_call(self, stats.ncalls), pstats_seconds(cumulative), per_call(cumulative, stats.primitive_calls),
                   labels[next++]);
    }
}

}  // namespace

std::string format_calls(uint64_t calls, uint64_t primitive) {
    return calls == primitive ? fmt::format("{}", calls) : fmt::format("{}/{}", calls, primitive);
}

std::string pstats_seconds(Picoseconds ps) {
    return fmt::format("{:8.3f}", static_cast<double>(std::max<Picoseconds>(ps, 0)) / 1e12);
}

void print_table(std::ostream& out, const Page& page, const TableOptions& options) {
    if (options.pstats_form)
        print_pstats_heading(out, page);
    else
        print_heading(out, page);
    const Selection selection = select(sorted(page.profile, page.names, page.figures, page.paths, options.order),
                                       options.restrictions, page.names, page.paths);
    print_order(out, options.order.description, selection.messages);
    if (!selection.unmatched.empty())
        return print_no_match(out, page, {selection.unmatched, selection.searched, selection.matching_elsewhere, row_word(page.names.granularity())});
    if (options.pstats_form) {
        print_pstats(out, page, selection.shown);
        fmt::print(out, "\n");
        return;
    }
    print_units(out, page, selection.shown);
    if (!selection.hidden.empty()) fmt::print(out, "\n");
    print_hidden(out, page, selection.hidden);
}

}  // namespace fnprof::report
