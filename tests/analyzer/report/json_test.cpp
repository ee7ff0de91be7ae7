#include "report/json.h"
#include "sample_profile.h"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>
#include <sstream>

using namespace fnprof;
using namespace fnprof::report;
using nlohmann::json;

namespace {

template <typename Print>
json document(const test::Sample& sample, Print print) {
    const Figures figures(sample.profile, false);
    Page page{sample.profile, sample.names, figures, {}, 0, 0, false, {}};
    page.notes.emplace_back("a note");
    std::ostringstream out;
    print(out, page);
    return json::parse(out.str());
}

json report_of(const test::Sample& sample) { return document(sample, print_json); }
json tree_of(const test::Sample& sample) { return document(sample, print_tree_json); }
json callers_of(const test::Sample& sample) {
    return document(sample,
                    [](std::ostream& out, const Page& page) { print_callers_json(out, page, Direction::kCallers); });
}
json callees_of(const test::Sample& sample) {
    return document(sample,
                    [](std::ostream& out, const Page& page) { print_callers_json(out, page, Direction::kCallees); });
}

uint64_t sum(const json& rows, const char* member) {
    uint64_t total = 0;
    for (const json& row : rows) total += row.at(member).get<uint64_t>();
    return total;
}

}  // namespace

TEST_CASE("the report's JSON has the documented members and its books balance") {
    const test::Sample sample = test::sample();
    const json report = report_of(sample);
    CHECK(report.at("schema_version") == 1);
    CHECK(report.at("program") == "/home/user/app/build/app");
    CHECK(report.at("wall_ns") == 700'000'000);
    CHECK(sum(report.at("functions"), "ncalls") == report.at("total_calls"));
    CHECK(sum(report.at("functions"), "primitive_calls") == report.at("primitive_calls"));
    CHECK(sum(report.at("edges"), "ncalls") == report.at("total_calls"));
    CHECK(sum(report.at("edges"), "self_ns") == sum(report.at("functions"), "self_ns"));
    CHECK(sum(report.at("threads"), "ncalls") == report.at("total_calls"));
    CHECK(report.at("processes").at(0).at("arguments") == json({"app", "--fast"}));
    CHECK(report.at("integrity").at("complete") == true);
    CHECK(report.at("integrity").at("lost_events") == 0);
    CHECK(report.at("integrity").at("damaged_blocks") == 0);
    CHECK(report.at("integrity").at("open_frames") == 0);
    CHECK(report.at("integrity").at("unmatched_exits") == 0);
}

TEST_CASE("functions carry names, places, measured and corrected times") {
    const json functions = report_of(test::sample()).at("functions");
    const json& fib = functions.at(1);
    CHECK(fib.at("id") == 1);
    CHECK(fib.at("name") == "fib(int)");
    CHECK(fib.at("mangled") == "_Z3fibi");
    CHECK(fib.at("file") == "/home/user/app/src/fib.cpp");
    CHECK(fib.at("line") == 3);
    CHECK(fib.at("ncalls") == 7);
    CHECK(fib.at("primitive_calls") == 1);
    CHECK(fib.at("cumulative_ns") == 70'000'000);
    CHECK(fib.at("cumulative_net_ns") == 70'000'000 - 140);
    // Corrected times are not clamped, and what is not known is null.
    CHECK(functions.at(6).at("self_net_ns") == -50);
    CHECK(functions.at(6).at("file").is_null());
    CHECK(functions.at(6).at("line").is_null());
    CHECK(functions.at(7).at("mangled").is_null());
}

TEST_CASE("corrected times of years are exact, and those of a damaged trace stay within what JSON can hold") {
    test::Sample slow = test::slow_sample();
    const json main = report_of(slow).at("functions").at(0);
    CHECK(main.at("name") == "main");
    CHECK(main.at("self_net_ns") == 10'000'000'000'000'000 - 20);
    slow.profile.stats[0].cost.self_ns = UINT64_MAX;
    slow.profile.stats[0].cost.cumulative_ns = 0;
    slow.profile.stats[0].cost.cumulative_hook_ps = UINT64_MAX;
    const json damaged = report_of(slow).at("functions").at(0);
    CHECK(damaged.at("self_net_ns") == INT64_MAX);
    CHECK(damaged.at("cumulative_net_ns") == -18'446'744'073'709'552);
}

TEST_CASE("edges name their ends by id, null being the world outside") {
    size_t roots = 0;
    const json report = report_of(test::sample());
    for (const json& edge : report.at("edges")) roots += edge.at("caller").is_null();
    CHECK(roots == 2);
}

TEST_CASE("in the tree's JSON cumulative is self plus children, exactly") {
    const json tree = tree_of(test::sample());
    std::map<uint64_t, uint64_t> below;
    for (const json& path : tree.at("call_paths"))
        if (!path.at("parent").is_null()) below[path.at("parent")] += path.at("cumulative_ns").get<uint64_t>();
    for (const json& path : tree.at("call_paths"))
        CHECK(path.at("cumulative_ns").get<uint64_t>() == path.at("self_ns").get<uint64_t>() + below[path.at("id")]);
    CHECK(sum(tree.at("call_paths"), "ncalls") == tree.at("total_calls"));
}

TEST_CASE("ids mean the same function in all documents") {
    const test::Sample sample = test::sample();
    const json functions = report_of(sample).at("functions");
    CHECK(functions == tree_of(sample).at("functions"));
    CHECK(functions == callers_of(sample).at("functions"));
    CHECK(functions == callees_of(sample).at("functions"));
}

TEST_CASE("callers and callees are the report's edges, those of one function together") {
    const test::Sample sample = test::sample();
    json edges = report_of(sample).at("edges");
    const json callees = callees_of(sample).at("edges"), callers = callers_of(sample).at("edges");
    CHECK(callees == edges);
    CHECK(std::is_sorted(callers.begin(), callers.end(), [](const json& a, const json& b) {
        return a.at("callee").get<uint64_t>() < b.at("callee").get<uint64_t>();
    }));
    REQUIRE(callers.size() == edges.size());
    for (const json& edge : edges) CHECK(std::find(callers.begin(), callers.end(), edge) != callers.end());
}

TEST_CASE("the run's own document has processes, threads, modules and integrity") {
    test::Sample sample = test::sample();
    sample.profile.modules = {{"/bin/app", {0xde, 0xad}}, {"/lib/bare.so", {}}};
    sample.profile.processes[0].boot_id.fill(0x0f);
    const json info = document(sample, print_info_json), report = report_of(sample);
    for (const char* member : {"processes", "threads", "integrity", "total_calls"})
        CHECK(info.at(member) == report.at(member));
    CHECK(info.at("modules") ==
          json::parse(R"([{"path": "/bin/app", "build_id": "dead"}, {"path": "/lib/bare.so", "build_id": null}])"));
    CHECK(info.at("processes").at(0).at("boot_id") == "0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f");
}

TEST_CASE("every document carries the notes that its text would") {
    const test::Sample sample = test::sample();
    for (const json& one : {report_of(sample), tree_of(sample), callers_of(sample), document(sample, print_info_json)})
        CHECK(one.at("notes") == json({"a note"}));
}

TEST_CASE("names that are no UTF-8 or hold control characters make valid JSON") {
    test::Sample sample{test::profile_of(1, {{model::kNone, 0, 1, 1}}), Names({{"odd\xff\x1b\"\\\n", "\xc3", "", "", 0}})};
    const json report = report_of(sample);
    CHECK(report.at("functions").at(0).at("name") == "odd\xef\xbf\xbd\x1b\"\\\n");
}

TEST_CASE("an empty profile is an empty document, not a broken one") {
    const test::Sample sample{model::Profile(), Names(std::vector<Name>())};
    const json report = report_of(sample);
    CHECK(report.at("total_calls") == 0);
    CHECK(report.at("program").is_null());
    CHECK(report.at("functions").empty());
    CHECK(tree_of(sample).at("call_paths").empty());
}
