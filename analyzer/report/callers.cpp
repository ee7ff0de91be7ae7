// Two layouts. Where the page has room for both names, pstats' own: the function, an arrow, and its edges to the right. Where it has
// not, the function on a line of its own and its edges below it, so that each name has a line.
#include "report/callers.h"

#include "report/call_lines.h"
#include "report/labels.h"
#include "report/no_match.h"
#include "report/table.h"
#include "report/text.h"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <array>
#include <ostream>

namespace fnprof::report {
namespace {

constexpr size_t kArrowColumns = 4;    // "  <-"
constexpr size_t kStackedIndent = 4;
constexpr std::array<std::string_view, 3> kTitles{"ncalls", "tottime", "cumtime"};
using Cells = std::array<std::string, 3>;

// What is said of an edge, or of the calls that one line makes along it.
struct EdgeRow {
    model::FunctionId far = model::kNone;
    uint64_t ncalls = 0;
    uint64_t primitive_calls = 0;
    model::Cost cost = {};
    std::string place = {};  // of the call; empty: not asked for
};

// The edges of a function that are shown, and in one line those that are not.
struct Block {
    model::FunctionId near = model::kNone;
    std::vector<Cells> rows;
    std::vector<model::FunctionId> far;
    std::vector<std::string> places;
    Cells hidden_cells;
    std::string hidden;  // empty: all are shown
};

// "train.cpp:31", "inlined", "by libc.so.6(qsort_r)": where an edge's calls are made.
std::string call_place(const Page& page, const CallLines& lines, const model::SiteEdge& edge) {
    if (edge.place == model::kNone) return "not known";
    const CallSiteName& site = lines.places[edge.place];
    if (site.kind == model::CallSite::Kind::kInlined) return "inlined";
    if (site.kind == model::CallSite::Kind::kElsewhere) return printable("by " + site.code);
    if (site.file.empty()) return printable(site.code);
    return printable(fmt::format("{}:{}", page.paths.in_full ? site.file : std::string(base_name(site.file)), site.line));
}

using EdgeRows = std::vector<std::vector<EdgeRow>>;

template <class Edge>
void add_edge(EdgeRows& rows, const Edge& edge, Direction direction, std::string place) {
    const bool callers = direction == Direction::kCallers;
    const model::FunctionId near = callers ? edge.callee : edge.caller;
    if (near == model::kNone) return;
    rows[near].push_back({callers ? edge.caller : edge.callee, edge.ncalls, edge.primitive_calls, edge.cost, std::move(place)});
}

// By the function at the near end, in the profile's order.
EdgeRows edges_by_function(const Page& page, const CallersOptions& options) {
    EdgeRows rows(page.profile.functions.size());
    if (!options.by_line) {
        for (const model::Edge& edge : page.profile.edges) add_edge(rows, edge, options.direction, {});
        return rows;
    }
    const CallLines lines = call_lines(page);
    for (const model::SiteEdge& edge : lines.edges) add_edge(rows, edge, options.direction, call_place(page, lines, edge));
    return rows;
}

Cells cells_of(const Page& page, const EdgeRow& edge) {
    return {format_calls(edge.ncalls, edge.primitive_calls), format_amount(page.figures.self(edge.cost)),
            format_amount(page.figures.cumulative(edge.cost))};
}

// Calls and internal time of several edges add up; cumulative times do not, since one can lie within the other.
void hide(const Page& page, const std::vector<const EdgeRow*>& edges, std::string_view what, Block& block) {
    if (edges.empty()) return;
    uint64_t calls = 0;
    model::Cost cost;
    for (const EdgeRow* edge : edges) {
        calls += edge->ncalls;
        cost.self_ns += edge->cost.self_ns;
        cost.self_hook_ps += edge->cost.self_hook_ps;
    }
    block.hidden_cells = {fmt::format("{}", calls), format_amount(page.figures.self(cost)), ""};
    block.hidden = fmt::format("{} more {}{} not shown", edges.size(), what, edges.size() == 1 ? "" : "s");
}

Block block_of(const Page& page, const CallersOptions& options, model::FunctionId id, const std::vector<EdgeRow>& edges) {
    static const Order kByCumulative = parse_order("cumulative");
    std::vector<SortRow> rows;
    for (const EdgeRow& edge : edges) rows.push_back({edge.far, edge.ncalls, edge.primitive_calls, edge.cost});
    const Order& order = options.edge_order.fields.empty() ? kByCumulative : options.edge_order;
    const std::vector<uint32_t> sorted = sorted_rows(rows, page.names, page.figures, page.paths, order);
    const size_t shown = options.edge_limit ? first_rows(*options.edge_limit, sorted.size()) : sorted.size();

    Block block;
    block.near = id;
    std::vector<const EdgeRow*> hidden;
    for (size_t i = 0; i < sorted.size(); ++i) {
        const EdgeRow& edge = edges[sorted[i]];
        if (i >= shown) {
            hidden.push_back(&edge);
            continue;
        }
        block.rows.push_back(cells_of(page, edge));
        block.far.push_back(edge.far);
        block.places.push_back(edge.place);
    }
    hide(page, hidden, options.by_line ? "line" : options.direction == Direction::kCallers ? "caller" : "callee", block);
    return block;
}

class EdgeTable {
  public:
    EdgeTable(const Page& page, Direction direction, std::vector<Block> blocks)
        : page_(page), callers_(direction == Direction::kCallers), blocks_(std::move(blocks)) {
        for (size_t k = 0; k < widths_.size(); ++k) widths_[k] = kTitles[k].size();
        for (const Block& block : blocks_) {
            for (const Cells& cells : block.rows) widen(cells);
            widen(block.hidden_cells);
            for (const std::string& place : block.places) place_width_ = std::max(place_width_, columns(place));
        }
        figures_width_ = widths_[0] + widths_[1] + widths_[2] + 2;
    }

    void print(std::ostream& out) {
        if (place_width_ > 0) return print_stacked(out);
        if (page_.width == 0)
            label(0, 0);
        else if (!fits_side_by_side())
            return print_stacked(out);
        print_side_by_side(out);
    }

  private:
    void widen(const Cells& cells) {
        for (size_t k = 0; k < widths_.size(); ++k) widths_[k] = std::max(widths_[k], columns(cells[k]));
    }

    // Both ends in one go: the same function may stand at either.
    void label(size_t near_room, size_t far_room) {
        std::vector<LabelRow> rows;
        for (const Block& block : blocks_) {
            rows.push_back({block.near, near_room});
            for (const model::FunctionId far : block.far) rows.push_back({far, far_room});
        }
        labels_ = distinct_labels(page_.names, page_.paths, rows, LabelForm::kPlaceFirst);
    }

    // Names share what the figures leave; false: some line does not fit.
    bool fits_side_by_side() {
        const size_t taken = kArrowColumns + 1 + figures_width_ + 2;
        if (page_.width <= taken + 2) return false;
        const size_t room = (page_.width - taken) / 2;
        label(room, room);
        size_t far_width = 0, next = 0;
        for (const Block& block : blocks_) {
            ++next;
            for (size_t k = 0; k < block.far.size(); ++k) far_width = std::max(far_width, columns(labels_[next++]));
            far_width = std::max(far_width, columns(block.hidden));
        }
        return taken + near_width() + far_width <= page_.width;
    }

    size_t near_width() const {
        size_t width = std::string_view("Function").size(), next = 0;
        for (const Block& block : blocks_) {
            width = std::max(width, columns(labels_[next]));
            next += 1 + block.far.size();
        }
        return width;
    }

    std::string_view arrow() const { return callers_ ? "<-" : "->"; }

    std::string figures(const Cells& cells) const {
        std::string text;
        for (size_t k = 0; k < widths_.size(); ++k)
            text += std::string(k == 0 ? 0 : 1, ' ') + std::string(widths_[k] - columns(cells[k]), ' ') + cells[k];
        return text;
    }

    std::string titles() const { return figures({std::string(kTitles[0]), std::string(kTitles[1]), std::string(kTitles[2])}); }

    void print_side_by_side(std::ostream& out) const {
        const size_t near = near_width();
        fmt::print(out, "{}\n", inked(page_, Ink::kTitle, fmt::format("{:<{}}  {}", "Function", near, callers_ ? "was called by..." : "called...")));
        fmt::print(out, "{}\n", inked(page_, Ink::kTitle, std::string(near + kArrowColumns + 1, ' ') + titles()));
        size_t next = 0;
        for (const Block& block : blocks_) {
            fmt::print(out, "{}{}  {}", labels_[next], std::string(near - columns(labels_[next]), ' '), arrow());
            ++next;
            bool first = true;
            const auto line = [&](const Cells& cells, std::string_view name) {
                fmt::print(out, "{} {}  {}\n", std::string(first ? 0 : near + kArrowColumns, ' '), figures(cells), name);
                first = false;
            };
            for (const Cells& cells : block.rows) line(cells, labels_[next++]);
            if (!block.hidden.empty()) line(block.hidden_cells, inked(page_, Ink::kFaint, block.hidden));
            if (first) fmt::print(out, "\n");
        }
    }

    void print_stacked(std::ostream& out) {
        const size_t far_taken = kStackedIndent + figures_width_ + 2 + (place_width_ == 0 ? 0 : place_width_ + 2);
        const auto room = [&](size_t taken) { return page_.width == 0 ? 0 : page_.width > taken ? page_.width - taken : 1; };
        label(room(kArrowColumns), room(far_taken));
        fmt::print(out, "{}\n", inked(page_, Ink::kTitle, fmt::format("Function  {}", callers_ ? "was called by..." : "called...")));
        fmt::print(out, "{}\n", inked(page_, Ink::kTitle, std::string(kStackedIndent, ' ') + titles()));
        size_t next = 0;
        for (const Block& block : blocks_) {
            fmt::print(out, "{}  {}\n", labels_[next++], arrow());
            const auto line = [&](const Cells& cells, std::string_view name) {
                fmt::print(out, "{}{}  {}\n", std::string(kStackedIndent, ' '), figures(cells), name);
            };
            for (size_t i = 0; i < block.rows.size(); ++i) {
                const std::string& place = block.places[i];
                line(block.rows[i], place_width_ == 0 ? labels_[next] : place + std::string(place_width_ + 2 - columns(place), ' ') + labels_[next]);
                ++next;
            }
            if (!block.hidden.empty()) line(block.hidden_cells, inked(page_, Ink::kFaint, block.hidden));
        }
    }

    const Page& page_;
    bool callers_;
    std::vector<Block> blocks_;
    std::vector<std::string> labels_;  // of each block its function's, then its edges'
    std::array<size_t, 3> widths_{};
    size_t figures_width_ = 0;
    size_t place_width_ = 0;  // 0: edges are not told apart by line
};

std::vector<std::string> messages(const CallersOptions& options, std::vector<std::string> of_functions) {
    const std::string_view what = options.direction == Direction::kCallers ? "Callers" : "Callees";
    if (!options.edge_order.fields.empty())
        of_functions.push_back(fmt::format("{} ordered by: {}", what, options.edge_order.description));
    if (options.edge_limit) of_functions.push_back(fmt::format("{} of each function limited to <{}>", what, describe(*options.edge_limit)));
    return of_functions;
}

}  // namespace

void print_callers(std::ostream& out, const Page& page, const CallersOptions& options) {
    print_heading(out, page);
    const Selection selection = select(sorted(page.profile, page.names, page.figures, page.paths, options.order),
                                       options.restrictions, page.names, page.paths);
    print_order(out, options.order.description, messages(options, selection.messages));
    if (!selection.unmatched.empty())
        return print_no_match(out, page, {selection.unmatched, selection.searched, selection.matching_elsewhere, row_word(page.names.granularity())});

    const EdgeRows edges = edges_by_function(page, options);
    std::vector<Block> blocks;
    for (const model::FunctionId id : selection.shown) blocks.push_back(block_of(page, options, id, edges[id]));
    EdgeTable(page, options.direction, std::move(blocks)).print(out);
    if (!selection.hidden.empty()) fmt::print(out, "\n");
    print_hidden(out, page, selection.hidden);
}

}  // namespace fnprof::report
