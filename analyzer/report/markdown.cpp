#include "report/markdown.h"

#include "report/text.h"

#include <fmt/ostream.h>

#include <algorithm>
#include <ostream>

namespace fnprof::report {

std::string markdown_text(std::string_view text) {
    std::string out;
    for (const char c : printable(text)) {
        if (c == '<') {
            out += "&lt;";
        } else if (c == '&') {
            out += "&amp;";
        } else {
            if (std::string_view("\\`*_[]|~#").find(c) != std::string_view::npos) out += '\\';
            out += c;
        }
    }
    return out;
}

std::string markdown_code(std::string_view text) {
    std::string out;
    size_t longest = 0, run = 0;
    for (const char c : printable(text)) {
        // A table ends its cell at each |, in code letters too.
        if (c == '|') out += '\\';
        out += c;
        run = c == '`' ? run + 1 : 0;
        longest = std::max(longest, run);
    }
    const std::string fence(longest + 1, '`');
    const std::string blank = longest > 0 ? " " : "";
    return fence + blank + out + blank + fence;
}

void MarkdownTable::print(std::ostream& out) const {
    const auto line = [&](const std::vector<std::string>& cells) {
        for (const std::string& cell : cells) fmt::print(out, "| {} ", cell);
        fmt::print(out, "|\n");
    };
    line(titles_);
    for (const Align align : aligns_) fmt::print(out, "|{}", align == Align::kRight ? "---:" : ":---");
    fmt::print(out, "|\n");
    for (const std::vector<std::string>& row : rows_) line(row);
}

}  // namespace fnprof::report
