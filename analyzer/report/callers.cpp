#include "report/callers.h"

#include "report/table.h"
#include "report/text.h"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <array>
#include <ostream>

namespace fnprof::report {
namespace {

// One printed edge: its figures and the function at its far end.
struct Line {
    std::array<std::string, 3> cells;  // ncalls, tottime, cumtime
    model::FunctionId far = model::kNone;
};

// Edges by the function at their near end: [first[id], first[id + 1]) of `order`.
struct NearIndex {
    std::vector<uint32_t> first;
    std::vector<uint32_t> order;
};

NearIndex index_edges(const Page& page, Direction direction) {
    const std::vector<model::Edge>& edges = page.profile.edges;
    const auto near = [&](const model::Edge& edge) { return direction == Direction::kCallers ? edge.callee : edge.caller; };
    NearIndex index;
    index.first.assign(page.profile.functions.size() + 1, 0);
    for (uint32_t i = 0; i < edges.size(); ++i) {
        if (near(edges[i]) == model::kNone) continue;
        ++index.first[near(edges[i]) + 1];
        index.order.push_back(i);
    }
    for (size_t i = 1; i < index.first.size(); ++i) index.first[i] += index.first[i - 1];
    std::ranges::sort(index.order, [&](uint32_t a, uint32_t b) {
        const model::FunctionId left = near(edges[a]), right = near(edges[b]);
        if (left != right) return left < right;
        const Picoseconds left_ps = page.figures.cumulative(edges[a].cost).ps,
                      right_ps = page.figures.cumulative(edges[b].cost).ps;
        return left_ps != right_ps ? left_ps > right_ps : a < b;
    });
    return index;
}

}  // namespace

void print_callers(std::ostream& out, const Page& page, const CallersOptions& options) {
    print_heading(out, page);
    const Selection selection = select(sorted(page.profile, page.names, page.figures, page.paths, options.order),
                                       options.restrictions, page.names, page.paths);
    print_order(out, options.order.description, selection.messages);

    const bool callers = options.direction == Direction::kCallers;
    const std::string_view arrow = callers ? "<-" : "->";
    const NearIndex index = index_edges(page, options.direction);

    std::vector<Line> lines;
    std::vector<size_t> counts;  // lines of each shown function
    std::array<size_t, 3> widths{6, 7, 7};
    for (const model::FunctionId id : selection.shown) {
        for (uint32_t i = index.first[id]; i < index.first[id + 1]; ++i) {
            const model::Edge& edge = page.profile.edges[index.order[i]];
            Line line{{format_calls(edge.ncalls, edge.primitive_calls), format_amount(page.figures.self(edge.cost)),
                       format_amount(page.figures.cumulative(edge.cost))},
                      callers ? edge.caller : edge.callee};
            for (size_t k = 0; k < widths.size(); ++k) widths[k] = std::max(widths[k], columns(line.cells[k]));
            lines.push_back(std::move(line));
        }
        counts.push_back(index.first[id + 1] - index.first[id]);
    }

    // On a narrow page the two names share what the figures leave.
    const size_t figures_width = widths[0] + widths[1] + widths[2] + 8;
    const size_t room = page.width == 0 ? 0 : page.width > figures_width + 2 ? (page.width - figures_width) / 2 : 1;
    std::vector<std::string> labels;
    size_t near_width = std::string_view("Function").size();
    for (const model::FunctionId id : selection.shown) {
        labels.push_back(page.names.label(id, page.paths, room));
        near_width = std::max(near_width, columns(labels.back()));
    }

    fmt::print(out, "{}\n",
               inked(page, Ink::kTitle,
                     fmt::format("{:<{}}  {}", "Function", near_width, callers ? "was called by..." : "called...")));
    const auto row = [&](const std::array<std::string, 3>& cells) {
        return fmt::format("{:>{}} {:>{}} {:>{}}", cells[0], widths[0], cells[1], widths[1], cells[2], widths[2]);
    };
    fmt::print(out, "{}\n",
               inked(page, Ink::kTitle, std::string(near_width + 5, ' ') + row({"ncalls", "tottime", "cumtime"})));
    size_t next = 0;
    for (size_t i = 0; i < selection.shown.size(); ++i) {
        fmt::print(out, "{}{}  {}", labels[i], std::string(near_width - columns(labels[i]), ' '), arrow);
        if (counts[i] == 0) fmt::print(out, "\n");
        for (size_t k = 0; k < counts[i]; ++k, ++next) {
            if (k != 0) out << std::string(near_width + 4, ' ');
            fmt::print(out, " {}  {}\n", row(lines[next].cells), end_label(page, lines[next].far, room));
        }
    }
    if (!selection.hidden.empty()) fmt::print(out, "\n");
    print_hidden(out, page, selection.hidden);
}

}  // namespace fnprof::report
