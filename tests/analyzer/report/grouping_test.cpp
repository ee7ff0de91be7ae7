#include "report/grouping.h"
#include "report/path_selection.h"
#include "report/text.h"
#include "sample_profile.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace fnprof;
using namespace fnprof::report;

namespace {

using Scopes = std::vector<std::string>;

Names named(const std::vector<std::string>& functions) {
    std::vector<Name> names;
    for (const std::string& function : functions) names.push_back({function, "mangled", "/opt/app", "", 0});
    return Names(std::move(names));
}

// The namespace of each function.
std::vector<std::string> namespaces(const std::vector<std::string>& functions) {
    const Names names = named(functions);
    const Grouping grouping = group(names, {}, Granularity::kNamespace);
    std::vector<std::string> result;
    for (const model::FunctionId id : grouping.group_of) result.push_back(grouping.names[id].name);
    return result;
}

}  // namespace

TEST_CASE("scopes end where a template, a function or a lambda begins") {
    CHECK(surrounding_scopes("main") == Scopes{});
    CHECK(surrounding_scopes("a::b::f(int, c::d)") == Scopes{"a", "b"});
    CHECK(surrounding_scopes("std::map<a::K, b::V>::find(a::K const&) const") == Scopes{"std"});
    CHECK(surrounding_scopes("std::vector<int> text::parse<std::map<int, int> >(int)") == Scopes{"text"});
    CHECK(surrounding_scopes("(anonymous namespace)::helper()") == Scopes{"(anonymous namespace)"});
    CHECK(surrounding_scopes("a::(anonymous namespace)::B::f()") == Scopes{"a", "(anonymous namespace)", "B"});
    CHECK(surrounding_scopes("a::run(int)::{lambda(b::C)#1}::operator()(b::C) const") == Scopes{"a"});
    CHECK(surrounding_scopes("a::f(int)::Local::g()") == Scopes{"a"});
    CHECK(surrounding_scopes("a::operator<<(std::ostream&, a::B const&)") == Scopes{"a"});
    CHECK(surrounding_scopes("a::B::operator()(int)") == Scopes{"a", "B"});
    CHECK(surrounding_scopes("a::B::operator std::string() const") == Scopes{"a", "B"});
}

TEST_CASE("a class is known by its constructor or destructor, and belongs to the namespace around it") {
    CHECK(namespaces({"a::B::B(int)", "a::B::f()", "a::C::f()", "a::C::~C()", "a::d::g()", "main", "a::B::Inner::f()"}) ==
          std::vector<std::string>{"a", "a", "a", "a", "a::d", "(global namespace)", "a"});
    CHECK(namespaces({"Model::Model()", "Model::forward()", "std::vector<int>::vector()"}) ==
          std::vector<std::string>{"(global namespace)", "(global namespace)", "std"});
}

TEST_CASE("functions are taken together by file, line or module; those without debug information by module") {
    const test::Sample sample = test::sample();
    const PathStyle style{"/home/user/app"};
    const auto group_names = [&](Granularity by) {
        const Grouping grouping = group(sample.names, style, by);
        std::vector<std::string> names;
        for (model::FunctionId id = 0; id < grouping.names.size(); ++id) names.push_back(grouping.names.label(id, style));
        return names;
    };
    CHECK(group_names(Granularity::kModule) == std::vector<std::string>{"build/app", "/usr/lib/libtiny.so", "/opt/libgone.so"});
    CHECK(group_names(Granularity::kFile) ==
          std::vector<std::string>{"src/main.cpp", "src/fib.cpp", "src/parse.cpp", "src/a.cpp", "src/worker.cpp", "src/b.cpp",
                                   "/usr/lib/libtiny.so (source not known)", "/opt/libgone.so (source not known)"});
    CHECK(group_names(Granularity::kLine)[2] == "src/parse.cpp:120");
    CHECK(group_names(Granularity::kNamespace) == std::vector<std::string>{"(global namespace)", "text", "(name not known)"});
}

TEST_CASE("groups have the calls and times of their functions, and recursion is judged between them") {
    const test::Sample sample = test::sample();
    const Selected selected = select_paths(sample.profile, sample.names, {}, {.by = Granularity::kModule});
    REQUIRE(selected.profile.stats.size() == 3);
    const model::FunctionStats& app = selected.profile.stats[0];
    CHECK(app.ncalls == sample.profile.total_calls() - 100 - 3);
    CHECK(app.primitive_calls == 2);  // main and worker
    CHECK(app.cost.cumulative_ns == 672'000'000 + 1'950 + 84'000'000);
    CHECK(app.cost.self_ns == 672'000'000 + 80'000'000);
    CHECK(selected.profile.total_calls() == sample.profile.total_calls());
    CHECK(selected.profile.reductions.empty());
}

TEST_CASE("patterns are searched in labels, so files select too") {
    const test::Sample sample = test::sample();
    PathSelection selection;
    selection.focus.emplace("--focus", "fib.cpp");
    const Selected selected = select_paths(sample.profile, sample.names, {}, selection);
    REQUIRE(selected.profile.reductions.size() == 1);
    CHECK(selected.profile.reductions[0].what == "focus 'fib.cpp'");
    CHECK(selected.profile.total_calls() == 7);
    CHECK(selected.notes.empty());
    selection.focus.emplace("--focus", "parze");
    CHECK(select_paths(sample.profile, sample.names, {}, selection).notes == std::vector<std::string>{"focus 'parze' matches no function; did you mean parse?"});
}
