#include "report/remarks.h"

#include <doctest/doctest.h>

using namespace fnprof;
using namespace fnprof::report;

namespace {

model::Profile profile_of(const std::vector<std::string>& traces, std::vector<std::string> remarks) {
    model::Profile profile;
    for (const std::string& trace : traces) profile.processes.emplace_back().trace = trace;
    profile.integrity.remarks = std::move(remarks);
    return profile;
}

}  // namespace

TEST_CASE("remarks that differ in their traces alone are one line, in order of the first") {
    CHECK(grouped_remarks(profile_of({"a", "b", "c", "d", "e"}, {"a: was cut", "a: has no end", "b: was cut", "c: was cut",
                                                                 "d: was cut", "e: was cut"})) ==
          std::vector<std::string>{"a, b, c and 2 more traces: was cut", "a: has no end"});
}

TEST_CASE("remarks without a trace stay, and a colon in a path is not its end") {
    CHECK(grouped_remarks(
              profile_of({"odd: name", "b"}, {"odd: name: was cut", "b: was cut", "c: was cut", "no trace at all"})) ==
          std::vector<std::string>{"odd: name, b: was cut", "c: was cut", "no trace at all"});
}

TEST_CASE("control characters in remarks are made visible") {
    CHECK(grouped_remarks(profile_of({}, {"a\x1b[0m"})) == std::vector<std::string>{"a\\x1b[0m"});
}
