// Pieces of Markdown as GitHub reads it.
#pragma once

#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

namespace fnprof::report {

// Text in which nothing is markup, in a paragraph or a table's cell.
std::string markdown_text(std::string_view text);

// `text` in code letters, in a table's cell.
std::string markdown_code(std::string_view text);

enum class Align { kLeft, kRight };

class MarkdownTable {
  public:
    MarkdownTable(std::vector<std::string> titles, std::vector<Align> aligns) : titles_(std::move(titles)), aligns_(std::move(aligns)) {}
    // Cells are Markdown already.
    void add(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
    void print(std::ostream& out) const;

  private:
    std::vector<std::string> titles_;
    std::vector<Align> aligns_;
    std::vector<std::vector<std::string>> rows_;
};

}  // namespace fnprof::report
