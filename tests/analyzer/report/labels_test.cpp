// Two functions never look alike in one table.
#include "report/labels.h"

#include "report/text.h"

#include <doctest/doctest.h>

using namespace fnprof::report;

namespace {

using Labels = std::vector<std::string>;

Labels labels(std::vector<Name> names, size_t room, LabelForm form = LabelForm::kPlaceFirst, const PathStyle& style = {}) {
    const size_t count = names.size();
    const Names all(std::move(names));
    std::vector<LabelRow> rows;
    for (fnprof::model::FunctionId id = 0; id < count; ++id) rows.push_back({id, room});
    return distinct_labels(all, style, rows, form);
}

}  // namespace

TEST_CASE("names that cutting makes alike are told apart by the word that differs") {
    const std::vector<Name> instances{{"int text::parse<std::vector<int> >(std::vector<int> const&)", "a", "app", "/s/p.cpp", 5},
                                      {"int text::parse<std::map<int, int> >(std::map<int, int> const&)", "b", "app", "/s/p.cpp", 5}};
    CHECK(labels(instances, 30) == Labels{"p.cpp:5(...::parse<...>(...)) [vector]", "p.cpp:5(...::parse<...>(...)) [map]"});
    CHECK(labels(instances, 40) == Labels{"p.cpp:5(text::parse<...>(...)) [vector]", "p.cpp:5(text::parse<...>(...)) [map]"});
    for (const std::string& label : labels(instances, 40)) CHECK(columns(label) <= 40);
    CHECK(labels(instances, 0)[0] == "/s/p.cpp:5(" + instances[0].name + ")");
    const std::vector<Name> overloads{{"over(std::string const&, int, int)", "a", "app", "", 0},
                                      {"over(std::string const&, int, long)", "b", "app", "", 0}};
    CHECK(labels(overloads, 24) == Labels{"app(over(std:...)) [int]", "app(over(std...)) [long]"});
}

TEST_CASE("functions of one name are told apart by directory, module, address or number") {
    const std::vector<Name> directories{{"helper()", "h", "app", "/s/a/util.cpp", 7}, {"helper()", "h", "app", "/s/b/util.cpp", 7}};
    CHECK(labels(directories, 22) == Labels{"util.cpp:7(helper()) [a]", "util.cpp:7(helper()) [b]"});
    CHECK(labels(directories, 0, LabelForm::kPlaceFirst, {"", false, true}) == Labels{"util.cpp:7(helper()) [a]", "util.cpp:7(helper()) [b]"});
    CHECK(labels(directories, 0) == Labels{"/s/a/util.cpp:7(helper())", "/s/b/util.cpp:7(helper())"});
    CHECK(labels({{"f()", "f", "/lib/liba.so", "/s/f.h", 1}, {"f()", "f", "/lib/libb.so", "/s/f.h", 1}}, 0) ==
          Labels{"/s/f.h:1(f()) [liba]", "/s/f.h:1(f()) [libb]"});
    CHECK(labels({{"helper", "helper", "app", "", 0, 0x1130}, {"helper", "helper", "app", "", 0, 0x1150}}, 0) ==
          Labels{"app(helper) [0x1130]", "app(helper) [0x1150]"});
    CHECK(labels({{"f", "f", "app", "", 0}, {"f", "f", "app", "", 0}}, 0) == Labels{"app(f) [id 0]", "app(f) [id 1]"});
}

TEST_CASE("the place that a narrow tree leaves out tells functions apart there") {
    const std::vector<Name> names{{"helper(char const*)", "h", "app", "/s/a.cpp", 7}, {"helper(char const*)", "h", "app", "/s/b.cpp", 7}};
    CHECK(labels(names, 20, LabelForm::kFunctionFirst) == Labels{"helper(char ...) [a]", "helper(char ...) [b]"});
}

TEST_CASE("one function in several rows is itself, and the world outside has a name") {
    const Names names({{"f()", "f", "app", "", 0}});
    const std::vector<LabelRow> rows{{0, 0}, {fnprof::model::kNone, 0}, {0, 0}};
    CHECK(distinct_labels(names, {}, rows, LabelForm::kPlaceFirst) == Labels{"app(f())", "<not instrumented>", "app(f())"});
}
