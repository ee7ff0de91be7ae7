#include "report/order.h"
#include "report/restriction.h"
#include "sample_profile.h"

#include <doctest/doctest.h>

#include <variant>

using namespace fnprof;
using namespace fnprof::report;

namespace {

std::string usage_error(std::string_view keys) {
    try {
        parse_order(keys);
    } catch (const UsageError& error) {
        return error.what();
    }
    return {};
}

std::vector<model::FunctionId> ids_by(std::string_view keys, bool reversed = false) {
    const test::Sample sample = test::sample();
    const Figures figures(sample.profile, false);
    Order order = parse_order(keys);
    order.reversed = reversed;
    return sorted(sample.profile, sample.names, figures, {}, order);
}

Selection selected(const std::vector<Restriction>& restrictions) {
    const test::Sample sample = test::sample();
    const Figures figures(sample.profile, false);
    return select(sorted(sample.profile, sample.names, figures, {}, parse_order("cumulative")), restrictions, sample.names,
                  {});
}

using Ids = std::vector<model::FunctionId>;

}  // namespace

TEST_CASE("sort keys are pstats' names and their unique prefixes") {
    CHECK(parse_order("cum").description == "cumulative time");
    CHECK(parse_order("t").description == "internal time");
    CHECK(parse_order("tottime,calls,nfl").description == "internal time, call count, name/file/line");
    CHECK(parse_order("st").description == "standard name");
    CHECK(parse_order("p").description == "primitive call count");
    CHECK(parse_order("name").description == "function name");
}

TEST_CASE("an ambiguous or unknown sort key is an error that names the candidates") {
    CHECK(usage_error("c") == "sort key 'c' is ambiguous; it could be calls or cumtime or cumulative");
    CHECK(usage_error("n") == "sort key 'n' is ambiguous; it could be name or ncalls or nfl");
    CHECK(usage_error("speed").find("'speed' is no sort key; sort keys are: calls, cumtime") == 0);
    CHECK(usage_error("time,") != "");
    CHECK(usage_error("") != "");
}

TEST_CASE("every prefix of a pstats key that pstats takes means the same here") {
    // Each key and the shortest prefix that pstats takes for it.
    const std::pair<const char*, const char*> keys[] = {{"calls", "ca"},   {"cumtime", "cumt"}, {"cumulative", "cumu"}, {"filename", "f"},
                                                        {"line", "l"},     {"module", "m"},     {"name", "na"},         {"ncalls", "nc"},
                                                        {"nfl", "nf"},     {"pcalls", "p"},     {"stdname", "s"},       {"time", "ti"},
                                                        {"tottime", "to"}};
    for (const auto& [key, shortest] : keys)
        for (std::string word = key; word.size() >= std::string(shortest).size(); word.pop_back()) {
            CAPTURE(word);
            CHECK(parse_order(word).description == parse_order(key).description);
        }
}

TEST_CASE("times per call are keys too, with prefixes where pstats has none") {
    CHECK(parse_order("percall_tottime").description == "internal time per call");
    CHECK(parse_order("percall_c").description == "cumulative time per primitive call");
    CHECK(usage_error("pe") == "sort key 'pe' is ambiguous; it could be percall_tottime or percall_cumtime");
    CHECK(ids_by("percall_tottime") == Ids{0, 4, 1, 5, 7, 2, 3, 6});
    CHECK(ids_by("percall_cumtime") == Ids{0, 4, 1, 5, 7, 2, 3, 6});
    CHECK(ids_by("percall_cumtime", true) == Ids{6, 3, 2, 7, 5, 1, 4, 0});
}

TEST_CASE("files are sorted by what is printed of them") {
    const Names names({{"f", "f", "m", "/z/a.cpp", 1}, {"g", "g", "m", "/a/z.cpp", 1}});
    const model::Profile profile = test::profile_of(2, {{model::kNone, 0, 1, 1}, {model::kNone, 1, 1, 1}});
    const Figures figures(profile, false);
    CHECK(sorted(profile, names, figures, {}, parse_order("file")) == Ids{1, 0});
    CHECK(sorted(profile, names, figures, {"", false, true}, parse_order("file")) == Ids{0, 1});
}

TEST_CASE("numbers sort falling, names and lines rising, and later keys break ties") {
    CHECK(ids_by("cumulative") == Ids{0, 2, 4, 1, 5, 7, 3, 6});
    CHECK(ids_by("calls") == Ids{3, 2, 6, 5, 1, 7, 0, 4});
    CHECK(ids_by("pcalls,name") == Ids{3, 2, 6, 5, 7, 1, 0, 4});
    CHECK(ids_by("line,file") == Ids{6, 7, 1, 3, 5, 0, 4, 2});
    CHECK(ids_by("name") == Ids{1, 3, 5, 7, 0, 2, 6, 4});
    CHECK(ids_by("stdname").front() == 3);
    CHECK(ids_by("cumulative", true) == Ids{6, 3, 7, 5, 1, 4, 2, 0});
}

TEST_CASE("numbers are restrictions whatever they look like") {
    CHECK(std::get<FirstRows>(*parse_amount("20")).count == 20);
    CHECK(std::get<FirstShare>(*parse_amount(".1")).share == doctest::Approx(0.1));
    CHECK(std::get<FirstShare>(*parse_amount("1.0")).share == 1.0);
    CHECK(std::get<FirstRows>(*parse_amount("0")).count == 0);
    CHECK_FALSE(parse_amount("fib"));
    CHECK_FALSE(parse_amount("."));
    CHECK_FALSE(parse_amount("1.2.3"));
    CHECK_FALSE(parse_amount("1e5"));
    CHECK_THROWS_AS(parse_amount("1.5"), UsageError);
    CHECK_THROWS_AS(parse_amount("99999999999999999999999"), UsageError);
    CHECK_THROWS_AS(parse_pattern("("), UsageError);
}

TEST_CASE("restrictions apply from the left to the right and are announced") {
    const Selection numbers = selected({FirstRows{6}, FirstShare{0.5}});
    CHECK(numbers.shown == Ids{0, 2, 4});
    CHECK(numbers.hidden.size() == 5);
    CHECK(numbers.messages == std::vector<std::string>{"List reduced from 8 to 6 due to restriction <6>",
                                                       "List reduced from 6 to 3 due to restriction <0.5>"});
    const Selection pattern = selected({Matching{"helper|fib"}, FirstRows{2}});
    CHECK(pattern.shown == Ids{1, 5});
    CHECK(pattern.messages == std::vector<std::string>{"List reduced from 8 to 3 due to restriction <'helper|fib'>",
                                                       "List reduced from 3 to 2 due to restriction <2>"});
    // Files are part of the name that is searched.
    CHECK(selected({Matching{"b\\.cpp:7"}}).shown == Ids{5});
}

TEST_CASE("a restriction that hides nothing is not announced") {
    CHECK(selected({FirstRows{8}, FirstShare{1.0}, Matching{"."}}).messages.empty());
}

TEST_CASE("a share is rounded to whole rows") {
    CHECK(selected({FirstShare{0.06}}).shown.empty());
    CHECK(selected({FirstShare{0.07}}).shown.size() == 1);
}
