// One line of source is one row. Calls to one function stand in that row; where a line calls several functions each has a row below it,
// since cumulative times of different callees need not add up (one may run within another).
#include "report/source_listing.h"

#include "report/call_lines.h"
#include "report/each_function.h"
#include "report/table.h"
#include "report/text.h"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <map>
#include <ostream>
#include <string>

namespace fnprof::report {
namespace {

constexpr size_t kTabColumns = 4;
constexpr size_t kFiguresWidth = 35;  // of a row, about: what is left is its callee's
constexpr size_t kLeastWidth = 60;

// Lines first to last of a file, fewer if it is shorter; nothing and `problem` if it cannot be read.
std::vector<std::string> read_lines(const std::string& path, uint32_t first, uint32_t last, std::string& problem) {
    std::ifstream file(path);
    if (!file) {
        problem = std::strerror(errno);
        return {};
    }
    std::vector<std::string> lines;
    std::string line;
    for (uint32_t number = 1; number <= last && std::getline(file, line); ++number) {
        if (number < first) continue;
        std::string shown;
        for (const char c : line) c == '\t' ? shown.append(kTabColumns - shown.size() % kTabColumns, ' ') : shown.append(1, c);
        if (shown.ends_with('\r')) shown.pop_back();
        lines.push_back(printable(shown));
    }
    if (lines.empty()) problem = fmt::format("it has no line {}", first);
    return lines;
}

std::string cut(const std::string& text, size_t room) {
    if (room == 0 || columns(text) <= room) return text;
    std::string shorter = text;
    while (!shorter.empty() && columns(shorter) + 3 > room) {
        shorter.pop_back();
        while (!shorter.empty() && (static_cast<unsigned char>(shorter.back()) & 0xc0) == 0x80) shorter.pop_back();
    }
    return shorter + "...";
}

class Listing {
  public:
    Listing(const Page& page, const CallLines& lines, model::FunctionId id) : page_(page), lines_(lines), id_(id) {
        for (const model::SiteEdge& edge : lines.edges) {
            if (edge.caller != id) continue;
            const CallSiteName* const site = edge.place == model::kNone ? nullptr : &lines.places[edge.place];
            if (site != nullptr && !site->file.empty())
                at_lines_[{site->file, site->line}].push_back(&edge);
            else
                elsewhere_.push_back(&edge);
        }
    }

    void print(std::ostream& out) {
        const model::FunctionStats& stats = page_.profile.stats[id_];
        fmt::print(out, "{}\n", inked(page_, Ink::kTitle, page_.names.label(id_, page_.paths, page_.width)));
        fmt::print(out, "   {} call{}, {} in the function itself, {} with what it calls\n", format_calls(stats.ncalls, stats.primitive_calls), stats.ncalls == 1 ? "" : "s",
                   format_amount(page_.figures.self(stats.cost)), format_amount(page_.figures.cumulative(stats.cost)));
        const symbol::SourceLines extent = page_.source_lines(id_);
        Grid grid({"ncalls", "cumtime", "line", ""});
        if (!extent.file.empty()) add_source(out, extent, grid);
        for (const auto& [place, edges] : at_lines_) add_line(grid, fmt::format("{}:{}", base_name(place.first), place.second), "", edges);
        for (const model::SiteEdge* edge : elsewhere_) add_call(grid, "", fmt::format("{}{}", how(*edge), callee(*edge)), *edge);
        if (grid.rows().empty()) return print_wrapped(out, page_, "its source lines are not known, and it calls nothing that is instrumented");
        if (page_.width > 0) {
            const size_t room = std::max<size_t>(page_.width, grid.width() + 20) - grid.width();
            for (std::vector<std::string>& row : grid.rows()) row.back() = cut(row.back(), room);
        }
        grid.print(out, page_);
    }

  private:
    using Edges = std::vector<const model::SiteEdge*>;

    // Lines that make calls are taken out of `at_lines_`.
    void add_source(std::ostream& out, const symbol::SourceLines& extent, Grid& grid) {
        std::string problem;
        const std::vector<std::string> text = read_lines(extent.file, extent.first, extent.last, problem);
        if (!problem.empty()) {
            print_wrapped(out, page_, fmt::format("its source {} cannot be shown: {}", printable(extent.file), problem));
            return;
        }
        for (size_t i = 0; i < text.size(); ++i) {
            const uint32_t line = extent.first + static_cast<uint32_t>(i);
            const auto calls = at_lines_.find({extent.file, line});
            if (calls == at_lines_.end()) {
                grid.add({"", "", fmt::to_string(line), text[i]});
                continue;
            }
            add_line(grid, fmt::to_string(line), text[i], calls->second);
            at_lines_.erase(calls);
        }
    }

    void add_line(Grid& grid, const std::string& place, const std::string& text, Edges edges) {
        const auto weight = [&](const model::SiteEdge* edge) { return page_.figures.cumulative(edge->cost).ps; };
        std::ranges::stable_sort(edges, std::greater(), weight);
        // The callee of a line is named where the line does not do it.
        if (edges.size() == 1 && text.find(unqualified_name(page_.names[edges[0]->callee].name)) != std::string::npos)
            return add_call(grid, place, text, *edges[0]);
        if (!text.empty()) grid.add({"", "", place, text});
        for (const model::SiteEdge* edge : edges) add_call(grid, text.empty() ? place : "", "-> " + callee(*edge), *edge);
    }

    void add_call(Grid& grid, const std::string& place, const std::string& text, const model::SiteEdge& edge) {
        grid.add({format_calls(edge.ncalls, edge.primitive_calls), format_amount(page_.figures.cumulative(edge.cost)), place, text});
    }

    std::string callee(const model::SiteEdge& edge) const {
        const std::string name = printable(page_.names[edge.callee].name);
        return page_.width == 0 ? name : cut_name(name, std::max(page_.width, kLeastWidth) - kFiguresWidth);
    }

    // Why the call is on no line.
    std::string how(const model::SiteEdge& edge) const {
        if (edge.place == model::kNone) return "-> ";
        const CallSiteName& site = lines_.places[edge.place];
        switch (site.kind) {
            case model::CallSite::Kind::kInlined: return "inlined: ";
            case model::CallSite::Kind::kElsewhere: return printable("through " + site.code + ": ");
            case model::CallSite::Kind::kInCaller: return printable("at " + site.code + ": ");
        }
        return "";
    }

    const Page& page_;
    const CallLines& lines_;
    model::FunctionId id_;
    std::map<std::pair<std::string, uint32_t>, Edges> at_lines_;
    Edges elsewhere_;
};

}  // namespace

void print_source_listing(std::ostream& out, const Page& page, const ListingOptions& options) {
    const CallLines lines = call_lines(page);
    print_each_function(out, page, options.order, options.restrictions, [&](model::FunctionId id) { Listing(page, lines, id).print(out); });
}

}  // namespace fnprof::report
