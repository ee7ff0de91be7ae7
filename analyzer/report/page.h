// What every text report is printed with: the profile, its names and figures, and the paper.
#pragma once

#include "model/profile.h"
#include "report/figures.h"
#include "report/names.h"

#include <functional>
#include <iosfwd>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fnprof::report {

struct Page {
    const model::Profile& profile;
    const Names& names;
    const Figures& figures;
    PathStyle paths;
    size_t width = 0;  // columns that names are cut to; 0: nothing is cut
    size_t wrap = 0;   // columns that paragraphs are broken at; 0: never
    bool colour = false;
    std::vector<std::string> notes;  // what the user should know beside what the profile says of itself
    std::vector<std::string> commands = {};  // words that a pattern may be a mistyped one of
    bool utf8 = false;  // the terminal draws more than ASCII
    std::function<symbol::SourceLines(model::FunctionId)> source_lines = {};  // of a function; asked of the listing's only
};

enum class Ink { kTitle, kHot, kWarm, kFaint };

// `text` in that colour if the page has colours.
std::string inked(const Page& page, Ink ink, std::string_view text);

// pstats' headline, the process, threads and date, what time means, and what is wrong with the trace.
void print_heading(std::ostream& out, const Page& page);

// What is wrong with the trace, one sentence each.
std::vector<std::string> integrity_lines(const model::Profile& profile);

// "1 thread", "2 threads".
std::string counted(uint64_t count, std::string_view what);

// pstats' headline alone, in its fixed form, and what is wrong with the trace.
void print_pstats_heading(std::ostream& out, const Page& page);

// One paragraph, broken at blanks to the page's columns; the first line is indented like pstats' lines, the others further.
void print_wrapped(std::ostream& out, const Page& page, std::string_view text);

// "   Ordered by: ..." and the restrictions' messages, ended by an empty line.
void print_order(std::ostream& out, const std::string& description, std::span<const std::string> messages);

// The rows that a table leaves out and what they weigh; nothing when there are none.
void print_hidden(std::ostream& out, const Page& page, std::span<const model::FunctionId> hidden);

// Right-aligned columns as wide as their cells, then one left-aligned column.
class Grid {
  public:
    explicit Grid(std::vector<std::string> titles) : titles_(std::move(titles)) {}
    void add(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
    // Columns that everything before the last column takes, the blank before it included.
    size_t width() const;
    void print(std::ostream& out, const Page& page) const;
    std::vector<std::vector<std::string>>& rows() { return rows_; }

  private:
    std::vector<size_t> widths() const;

    std::vector<std::string> titles_;
    std::vector<std::vector<std::string>> rows_;
};

}  // namespace fnprof::report
