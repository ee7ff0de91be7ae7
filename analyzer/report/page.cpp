#include "report/page.h"

#include "report/text.h"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <ostream>

namespace fnprof::report {
namespace {

constexpr std::string_view kReset = "\x1b[0m";

std::string_view code(Ink ink) {
    switch (ink) {
        case Ink::kTitle:
            return "\x1b[1m";
        case Ink::kHot:
            return "\x1b[31m";
        case Ink::kWarm:
            return "\x1b[33m";
        case Ink::kFaint:
            return "\x1b[2m";
    }
    return "";
}

}  // namespace

std::string inked(const Page& page, Ink ink, std::string_view text) {
    if (!page.colour || text.empty()) return std::string(text);
    return fmt::format("{}{}{}", code(ink), text, kReset);
}

void print_wrapped(std::ostream& out, const Page& page, std::string_view text) {
    constexpr size_t kIndent = 3, kContinuation = 6;
    std::string line(kIndent, ' ');
    bool fresh = true;
    while (!text.empty()) {
        const size_t blank = std::min(text.find(' '), text.size());
        const std::string_view word = text.substr(0, blank);
        if (!fresh && page.wrap != 0 && columns(line) + 1 + columns(word) > page.wrap) {
            fmt::print(out, "{}\n", line);
            line.assign(kContinuation, ' ');
            fresh = true;
        }
        if (!fresh) line += ' ';
        line += word;
        fresh = false;
        text.remove_prefix(std::min(blank + 1, text.size()));
    }
    fmt::print(out, "{}\n", line);
}

void print_order(std::ostream& out, const std::string& description, std::span<const std::string> messages) {
    fmt::print(out, "   Ordered by: {}\n", description);
    for (const std::string& message : messages) fmt::print(out, "   {}\n", message);
    fmt::print(out, "\n");
}

void print_hidden(std::ostream& out, const Page& page, std::span<const model::FunctionId> hidden) {
    if (hidden.empty()) return;
    uint64_t calls = 0;
    Picoseconds self_ps = 0;
    for (const model::FunctionId id : hidden) {
        calls += page.profile.stats[id].ncalls;
        self_ps += page.figures.self(page.profile.stats[id].cost).ps;
    }
    self_ps = std::max<Picoseconds>(self_ps, 0);
    const std::string share = format_percent(self_ps, page.figures.total_ps());
    print_wrapped(
        out, page,
        fmt::format("{} more {}{} not shown: {} call{}, {} of internal time{}; 'all' shows everything", hidden.size(),
                    row_word(page.names.granularity()), hidden.size() == 1 ? "" : "s", calls, calls == 1 ? "" : "s", format_time(self_ps), share.empty() ? "" : " (" + share + "%)"));
}

std::vector<size_t> Grid::widths() const {
    std::vector<size_t> out;
    for (const std::string& title : titles_) out.push_back(columns(title));
    for (const std::vector<std::string>& row : rows_)
        for (size_t i = 0; i + 1 < titles_.size(); ++i) out[i] = std::max(out[i], columns(row[i]));
    return out;
}

size_t Grid::width() const {
    size_t total = 0;
    const std::vector<size_t> all = widths();
    for (size_t i = 0; i + 1 < all.size(); ++i) total += all[i] + 1;
    return total;
}

void Grid::print(std::ostream& out, const Page& page) const {
    const std::vector<size_t> width = widths();
    const auto line = [&](const std::vector<std::string>& cells) {
        std::string text;
        for (size_t i = 0; i + 1 < width.size(); ++i) {
            text.append(width[i] - columns(cells[i]), ' ');
            text += cells[i];
            text += ' ';
        }
        text += cells.back();
        text.resize(text.find_last_not_of(' ') + 1);  // a table of figures alone has an empty last column
        return text;
    };
    fmt::print(out, "{}\n", inked(page, Ink::kTitle, line(titles_)));
    for (const std::vector<std::string>& row : rows_) fmt::print(out, "{}\n", line(row));
}

}  // namespace fnprof::report
