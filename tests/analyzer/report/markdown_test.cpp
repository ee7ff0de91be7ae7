#include "report/markdown.h"

#include <doctest/doctest.h>

#include <sstream>

using namespace fnprof::report;

TEST_CASE("nothing in a text is markup, and no name ends a table's cell") {
    CHECK(markdown_text("a|b*c_d`e<f>[g]&h") == "a\\|b\\*c\\_d\\`e&lt;f>\\[g\\]&amp;h");
    CHECK(markdown_code("operator|(a, b)") == "`operator\\|(a, b)`");
    CHECK(markdown_code("a`b``c") == "``` a`b``c ```");
    CHECK(markdown_code("a\nb") == "`a\\x0ab`");
}

TEST_CASE("a table has a line of alignments below its titles") {
    MarkdownTable table({"calls", "name"}, {Align::kRight, Align::kLeft});
    table.add({"12", "`f`"});
    std::ostringstream out;
    table.print(out);
    CHECK(out.str() == "| calls | name |\n|---:|:---|\n| 12 | `f` |\n");
}
