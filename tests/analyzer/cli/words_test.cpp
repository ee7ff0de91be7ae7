#include "cli/words.h"
#include "report/order.h"
#include "tool.h"

#include <doctest/doctest.h>

#include <fstream>
#include <variant>

using namespace fnprof::cli;
using fnprof::report::FirstRows;
using fnprof::report::FirstShare;
using fnprof::report::Matching;

TEST_CASE("without words the trace is ./trace.zst") {
    const Words words = classify({});
    CHECK(words.traces == std::vector<std::string>{"trace.zst"});
    CHECK_FALSE(words.trace_named);
    CHECK(words.restrictions.empty());
}

TEST_CASE("numbers are restrictions even where a file has that name") {
    const test::Desk desk;
    const auto before = std::filesystem::current_path();
    std::filesystem::current_path(desk.path());
    std::ofstream("20") << "a file";
    std::ofstream("profile") << "a file";
    std::filesystem::create_directory("src");
    const Words words = classify({"20", ".1", "profile", "src", "missing.zst", "-", "all"});
    std::filesystem::current_path(before);
    CHECK(words.traces == std::vector<std::string>{"profile", "missing.zst", "-"});
    REQUIRE(words.restrictions.size() == 3);
    CHECK(std::get<FirstRows>(words.restrictions[0]).count == 20);
    CHECK(std::get<FirstShare>(words.restrictions[1]).share == doctest::Approx(0.1));
    CHECK(std::get<Matching>(words.restrictions[2]).pattern == "src");
    CHECK(words.all);
}

TEST_CASE("a pattern that is no regular expression is a usage error") {
    CHECK_THROWS_AS(classify({"a(b"}), fnprof::report::UsageError);
}
