#include "compared.h"
#include "report/budget.h"
#include "report/diff_cells.h"
#include "report/renames.h"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <sstream>

using namespace fnprof::report;
using namespace fnprof;
using compare::Run;
using compare::test::number_of;
using compare::test::run_of;
using nlohmann::json;
using test::Compared;

namespace {

constexpr uint64_t kMs = 1'000'000;

bool contains(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

void set_durations(Run& run, const std::string& name, uint64_t calls, uint64_t ns, uint64_t other_ns) {
    for (uint64_t i = 0; i < calls; ++i) run.profile.stats[number_of(run, name)].durations.add(i % 2 == 0 ? ns : other_ns);
}

// load is called 100 times and then once; parse, below it, takes 10 % longer a call; step takes the same time but for what chance does.
Run before() {
    Run run = run_of({{"main", 1, 10 * kMs}, {"main/load", 100, 100 * kMs}, {"main/load/parse", 200, 200 * kMs}, {"main/step", 50, 50 * kMs}});
    set_durations(run, "main", 1, 360 * kMs, 0);
    set_durations(run, "load", 100, 2 * kMs, 4 * kMs);
    set_durations(run, "parse", 200, kMs - 1000, kMs + 1000);
    set_durations(run, "step", 50, kMs / 2, kMs * 3 / 2);
    return run;
}
Run after() {
    Run run = run_of({{"main", 1, 10 * kMs}, {"main/load", 1, kMs}, {"main/load/parse", 2, 2'200'000}, {"main/step", 50, 51 * kMs}}, 2);
    set_durations(run, "main", 1, 64'200'000, 0);
    set_durations(run, "load", 1, 3'200'000, 0);
    set_durations(run, "parse", 2, 1'099'000, 1'101'000);
    set_durations(run, "step", 50, kMs / 2, kMs * 154 / 100);
    return run;
}

std::string text_of(const std::string& whole, std::string_view from, std::string_view to) {
    const size_t begin = whole.find(from);
    REQUIRE(begin != std::string::npos);
    return whole.substr(begin, whole.find(to, begin) - begin);
}

}  // namespace

TEST_CASE("the verdict says how much, who explains it, and why") {
    CHECK(verdict(Compared({before()}, {after()}).diff()) == "B takes 295.8ms less than A (-82.2%): load explains 100.4% of it (calls 100 -> 1)");
    CHECK(verdict(Compared({after()}, {before()}).diff()) == "B takes 295.8ms more than A (+460.7%): load explains 107.1% of it (calls 1 -> 100)");
    CHECK(verdict(Compared({before()}, {before()}).diff()) == "B takes as long as A");
}

TEST_CASE("the verdict names functions until they explain enough of the difference") {
    const Compared several({run_of({{"main", 1, 0}, {"main/f", 10, 100 * kMs}, {"main/g", 10, 100 * kMs}, {"main/h", 1, kMs}})},
                           {run_of({{"main", 1, 0}, {"main/f", 10, 200 * kMs}, {"main/g", 8, 80 * kMs}, {"main/new", 2, 5 * kMs}}, 2)});
    CHECK(verdict(several.diff()) == "B takes 84.00ms more than A (+41.8%): f explains 119.0% of it (own time 10.00ms -> 20.00ms a call), g -23.8% (calls 10 -> 8)");
    const Compared mixed({run_of({{"main", 1, 0}, {"main/f", 10, 100 * kMs}, {"main/h", 4, 40 * kMs}})},
                         {run_of({{"main", 1, 0}, {"main/f", 10, 160 * kMs}, {"main/new", 2, 80 * kMs}}, 2)});
    CHECK(verdict(mixed.diff()) ==
          "B takes 100.0ms more than A (+71.4%): new explains 80.0% of it (new in B, 0 -> 2 calls), f 60.0% (own time 10.00ms -> 16.00ms a call), h -40.0% (not called in B, calls 4 -> 0)");
}

TEST_CASE("runs that differ by as much as A and B do make no verdict") {
    const auto run = [](uint64_t ms, uint8_t build) { return run_of({{"main", 1, ms * kMs}}, build); };
    CHECK(verdict(Compared({run(100, 1), run(120, 1), run(110, 1)}, {run(115, 2), run(117, 2)}).diff()) ==
          "B cannot be told from A: it takes 6.000ms more, and runs differ by as much (95% interval -17.91ms to +29.91ms)");
    const std::string sure = verdict(Compared({run(100, 1), run(101, 1), run(102, 1)}, {run(120, 2), run(121, 2), run(122, 2)}).diff());
    CHECK(sure == "B takes 20.00ms more than A (+19.8%; 95% interval +17.73ms to +22.27ms): main explains 100.0% of it (own time 101.0ms -> 121.0ms a call)");
}

TEST_CASE("a wide page has a line for each function") {
    const std::string text = Compared({before()}, {after()}).text();
    CHECK(text_of(text, "explains%   ", "\n   Times") ==
          R"(explains%     time      calls    tottime    count mix  percall    call:A  call:B                 change filename:lineno(function)
    100.4 -297.0ms   100 -> 1   -99.00ms -99.00ms   0        0   3.000ms 3.200ms +200.0us (no interval) app.c:20(load)
     -0.3 +1.000ms         50   +1.000ms        0   0 +1.000ms   1.000ms 1.020ms    not distinguishable app.c:40(step)
     -0.1 +200.0us   200 -> 2   -197.8ms -198.0ms   0 +200.0us   1.000ms 1.100ms     +100.0us +-12.44us app.c:30(parse)
      0.0        0          1          0        0   0        0   360.0ms 64.20ms -295.8ms (no interval) app.c:10(main)
)");
    CHECK(contains(text, "from how much the calls of each run differ, since there is one run a side"));
}

TEST_CASE("a narrow page has a paragraph for each function") {
    const std::string text = Compared({before()}, {after()}, 80).text({{}, {Matching{"load|step"}}});
    CHECK(text_of(text, "\n  100.4%", "   2 more") == R"(
  100.4%  app.c:20(load)
          explains -297.0ms; calls 100 -> 1
          tottime -99.00ms = count -99.00ms
          a call: 3.000ms -> 3.200ms (+200.0us (no interval))
   -0.3%  app.c:40(step)
          explains +1.000ms; calls 50
          tottime +1.000ms = percall +1.000ms
          a call: 1.000ms -> 1.020ms (not distinguishable)

)");
    CHECK(contains(text, "   2 more functions not shown, which explain +200.0us together; 'all' shows\n      everything\n"));
}

TEST_CASE("rows are in the order of what explains most, or of the size of another change") {
    const Compared it({before()}, {after()});
    const auto names = [&](const Order& order) {
        std::string out;
        for (const model::FunctionId id : sorted_changes(it.diff(), order)) out += it.diff().page.names[id].name + " ";
        return out;
    };
    CHECK(names({}) == "load step parse main ");
    CHECK(names(parse_order("calls")) == "parse load step main ");
    CHECK(names(parse_order("tottime")) == "parse load step main ");
    CHECK(names(parse_order("name")) == "load main parse step ");
}

TEST_CASE("a change that the hooks' cost leaves unknown is below the resolution") {
    Run a = run_of({{"f", 1'000'000, 30 * kMs}}), b = run_of({{"f", 1'000'000, 30'100'000}}, 2);
    for (Run* run : {&a, &b}) {
        for (model::Cost* cost : {&run->profile.stats[0].cost, &run->profile.paths[0].cost, &run->profile.edges[0].cost})
            cost->self_hook_ps = cost->cumulative_hook_ps = uint64_t{20'000} * 1'000'000;
    }
    const Compared it({a}, {b});
    CHECK(verdict(it.diff()) == "B takes as long as A: they differ by <10ms, less than can be measured");
    CHECK(change_cells(it.diff(), 0).tottime == "<10ms");
}

TEST_CASE("Markdown is a verdict, the runs, the functions and what the columns mean") {
    const std::string text = Compared({before()}, {after()}).markdown({{}, {FirstRows{1}}});
    CHECK(text.starts_with("**B takes 295.8ms less than A (-82.2%): load explains 100.4% of it (calls 100 -> 1)**\n\n"));
    CHECK(contains(text, "| A | 1 | 351 | 360.0ms |\n| B | 1 | 54 | 64.20ms |\n"));
    CHECK(contains(text, "| 100.4% | `app.c:20(load)` | 100 -> 1 | -99.00ms | -99.00ms | 0 | 0 | 3.000ms | 3.200ms | +200.0us (no interval) |\n\n3 more functions not shown.\n"));
    CHECK(text.ends_with("</details>\n"));
}

TEST_CASE("the parts of a function in JSON add up to its change, all functions to the whole") {
    std::ostringstream out;
    print_diff_json(out, Compared({before()}, {after()}).diff());
    const json document = json::parse(out.str());
    CHECK(document.at("change_ps") == -295'800'000'000);
    int64_t self = 0, explained = 0;
    for (const json& function : document.at("functions")) {
        const json& parts = function.at("self");
        CHECK(parts.at("count_ps").get<int64_t>() + parts.at("mix_ps").get<int64_t>() + parts.at("per_call_ps").get<int64_t>() == parts.at("change_ps"));
        self += parts.at("change_ps").get<int64_t>();
        explained += function.at("explained").at("calls_ps").get<int64_t>() + function.at("explained").at("own_ps").get<int64_t>();
    }
    CHECK(self == document.at("change_ps"));
    CHECK(explained == document.at("change_ps"));
    const json& step = document.at("functions").at(3);
    CHECK(step.at("name") == "step");
    CHECK(step.at("per_call").at("basis") == "calls");
    CHECK(step.at("per_call").at("distinguishable") == false);
    CHECK(step.at("callers").at(0).at("calls_b") == 50);
}

TEST_CASE("a function that changed its name on the same line, or among the same callers and callees, is told to be renamed") {
    const Run a = run_of({{"main", 1, 0}, {"main/parse_row", 3, 9}, {"main/parse_row/cell", 9, 9}, {"main/old", 1, 1}});
    const Run b = run_of({{"main", 1, 0}, {"main/parse_rows", 3, 9}, {"main/parse_rows/cell", 9, 9}, {"main/other", 1, 1}}, 2);
    const compare::Aligned runs = compare::align({&a, 1}, {&b, 1});
    const auto id = [&](const std::string& name) { return compare::test::id_of(runs, name); };
    std::vector<Name> names(runs.size());
    for (const char* name : {"main", "parse_row", "parse_rows", "cell", "old", "other"}) names[id(name)].name = name;
    std::vector<Renaming> found = probable_renamings(runs, Names(names));
    REQUIRE(found.size() == 1);
    CHECK(found[0].a == id("parse_row"));
    CHECK(found[0].b == id("parse_rows"));
    CHECK_FALSE(found[0].same_line);
    for (const char* name : {"old", "other"}) {
        names[id(name)].file = "/src/app.c";
        names[id(name)].line = 40;
    }
    found = probable_renamings(runs, Names(names));
    REQUIRE(found.size() == 2);
    CHECK(found[1].a == id("old"));
    CHECK(found[1].b == id("other"));
    CHECK(found[1].same_line);
}
