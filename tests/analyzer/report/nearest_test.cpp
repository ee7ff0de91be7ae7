#include "report/nearest.h"
#include "report/text.h"
#include "sample_profile.h"

#include <doctest/doctest.h>

using namespace fnprof::report;

using Words = std::vector<std::string>;

TEST_CASE("a distance counts letters that are missing, added, changed or exchanged") {
    CHECK(edit_distance("parse", "parse", 3) == 0);
    CHECK(edit_distance("parse", "prase", 3) == 1);
    CHECK(edit_distance("parse", "pars", 3) == 1);
    CHECK(edit_distance("parse", "parsse", 3) == 1);
    CHECK(edit_distance("parse", "Horse", 3) == 2);
    CHECK(edit_distance("PARSE", "parse", 3) == 0);
    CHECK(edit_distance("", "abc", 3) == 3);
    CHECK(edit_distance("abc", "xyz", 2) == 3);
    CHECK(edit_distance("a", "abcdefgh", 2) == 3);
}

TEST_CASE("the nearest words come first, and what is nothing like the word does not come") {
    const Words words{"parse_row", "parse_rows", "parse_line", "main", "x"};
    CHECK(nearest("prase_row", words) == Words{"parse_row", "parse_rows"});
    CHECK(nearest("parse_rows", words, 1) == Words{"parse_rows"});
    CHECK(nearest("train", words).empty());
    CHECK(nearest("y", words).empty());
    CHECK(nearest("", words).empty());
}

TEST_CASE("functions are called by their names alone or with their scopes") {
    CHECK(qualified_name("std::vector<int> text::parse<std::map<int, int> >(std::map<int, int> const&, int)") == "text::parse");
    CHECK(unqualified_name("std::vector<int> text::parse<std::map<int, int> >(std::map<int, int> const&, int)") == "parse");
    CHECK(unqualified_name("(anonymous namespace)::train(int)") == "train");
    CHECK(qualified_name("ns::map<K, V>::find(K const&) const") == "ns::map::find");
    CHECK(unqualified_name("std::ostream& operator<< <int>(std::ostream&, int)") == "operator<<");
    CHECK(qualified_name("N::operator()(int)") == "N::operator()");
    CHECK(qualified_name("N::operator->() const") == "N::operator->");
    CHECK(qualified_name("main") == "main");
    CHECK(function_words(test::sample().names) == Words{"fib", "helper", "main", "parse", "text::parse", "tiny", "worker"});
}
