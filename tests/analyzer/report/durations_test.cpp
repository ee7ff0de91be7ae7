#include "report/durations.h"
#include "report/json.h"
#include "report/slowest.h"
#include "sample_profile.h"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <limits>
#include <map>
#include <sstream>

using namespace fnprof;
using namespace fnprof::report;

namespace {

constexpr model::FunctionId kMain = 0, kLoad = 1, kParse = 2;

// What calls of these durations come to.
void add_calls(model::Durations& durations, model::Histogram& histogram, const std::vector<uint64_t>& times) {
    std::map<uint32_t, uint64_t> buckets;
    for (const uint64_t ns : times) {
        durations.add(ns);
        ++buckets[model::bucket_of(ns)];
    }
    std::vector<model::Histogram::Count> counts;
    for (const auto& [bucket, calls] : buckets) counts.push_back({bucket, calls});
    histogram.add(model::Histogram(counts));
}

Names names() {
    return Names({{"main", "main", "m", "", 0}, {"load(int)", "load", "m", "", 0}, {"parse(int)", "parse", "m", "", 0}});
}

// main calls load, both call parse: 30 times 1 us from main, 30 times 5 us from load, the first of which took 1 ms.
model::Profile profile() {
    model::Profile p = test::profile_of(3, {{model::kNone, kMain, 1, 1'000'000}, {0, kLoad, 1, 1'150'000}, {1, kParse, 30, 1'145'000}, {0, kParse, 30, 30'000}});
    std::vector<uint64_t> from_load(30, 5'000);
    from_load[0] = 1'000'000;
    const std::vector<uint64_t> from_main(30, 1'000);
    for (model::Edge& edge : p.edges) {
        if (edge.callee == kParse) add_calls(edge.durations, edge.histogram, edge.caller == kLoad ? from_load : from_main);
    }
    model::FunctionStats& parse = p.stats[kParse];
    add_calls(parse.durations, parse.histogram, from_load);
    add_calls(parse.durations, parse.histogram, from_main);
    parse.first = {1, 1'000'000};
    parse.slowest = {{.start_ns = 5'300, .duration_ns = 1'000'000, .elapsed_ns = 1'000'400, .path = 2, .thread = 0},
                     {.start_ns = 2'000'000, .duration_ns = 5'000, .elapsed_ns = 5'000, .path = 2, .thread = 0, .ending = model::Ending::kUnwound}};
    p.stats[kMain].open_calls = 1;
    p.stats[kMain].slowest = {{.start_ns = 5'000, .duration_ns = 3'000'000, .elapsed_ns = 3'000'000, .path = 0, .thread = 0, .ending = model::Ending::kOpen}};
    p.processes.emplace_back().start_ns = 5'000;
    p.threads.emplace_back().process = 0;
    p.threads[0].serial = 1;
    p.threads[0].name = "app";
    return p;
}

template <class Print>
std::string printed(const model::Profile& p, Print print) {
    const Figures figures(p, false);
    const Names all = names();
    const Page page{p, all, figures, {}, 0, 0, false, {}};
    std::ostringstream out;
    print(out, page);
    const std::string text = out.str();
    return text.substr(text.find("   Ordered by"));
}

std::string durations_of(const std::string& pattern) {
    return printed(profile(), [&](std::ostream& out, const Page& page) {
        print_durations(out, page, {parse_order("cumulative"), {Matching{pattern}}});
    });
}

std::string slowest_of(const std::string& pattern, size_t rows = 10) {
    return printed(profile(), [&](std::ostream& out, const Page& page) {
        print_slowest(out, page, {parse_order("cumulative"), {Matching{pattern}}, rows});
    });
}

bool has(const std::string& text, const std::string& part) {
    CAPTURE(text);
    CAPTURE(part);
    const bool found = text.find(part) != std::string::npos;
    CHECK(found);
    return found;
}

}  // namespace

TEST_CASE("percentiles never leave the exact least and most") {
    model::Durations durations;
    model::Histogram histogram;
    add_calls(durations, histogram, {1'000'003});
    CHECK(percentile_ns(durations, histogram, 500) == 1'000'003);
    CHECK(percentile_ns(durations, histogram, 999) == 1'000'003);
}

TEST_CASE("hist shows percentiles, the first call against later ones, and callers with different medians") {
    const std::string text = durations_of("parse");
    has(text, "   60 calls have ended\n");
    has(text, "\n    min     p50     p90     p99   p99.9     max    mean  stddev\n1.000us 1.003us 5.023us 1.000ms 1.000ms 1.000ms 19.58us 127.7us\n");
    has(text, "   First call 1.000ms, later ones 2.966us on average.\n");
    has(text, "   30 5.000us 5.023us 5.023us 1.000ms 1.000ms 1.000ms m(load(int))\n");
    has(text, "   30 1.000us 1.000us 1.000us 1.000us 1.000us 1.000us m(main)\n");
    has(text, "   The median call takes 5.023us when called by m(load(int)), 1.000us when by m(main).\n");
}

TEST_CASE("a histogram's rows hold every call, the fullest has the longest bar") {
    const std::string text = durations_of("parse");
    std::istringstream lines(text.substr(text.find("   from")));
    std::string line;
    std::getline(lines, line);
    uint64_t calls = 0;
    while (std::getline(lines, line) && !line.empty()) {
        std::istringstream words(line);
        std::string from, count;
        words >> from >> count;
        calls += std::stoull(count);
        CHECK((std::stoull(count) == 30) == (line.find(std::string(50, '#')) != std::string::npos));
    }
    CHECK(calls == 60);
}

TEST_CASE("a function none of whose calls has ended has no figures") {
    const std::string text = durations_of("main");
    has(text, "m(main)\n   the one call has not ended\n");
    CHECK(text.find("p50") == std::string::npos);
}

TEST_CASE("of one function the slowest calls stand with start, thread, ending and call path") {
    const std::string text = slowest_of("parse");
    has(text, "duration elapsed began at thread ended by call path\n");
    has(text, "1.000ms 1.000ms +300.0ns  1 app          main > load(int) > parse(int)\n");
    has(text, "5.000us 5.000us +1.995ms  1 app  unwound main > load(int) > parse(int)\n");
    has(slowest_of("parse", 1), "   1 more call not shown; the 16 slowest of each function are kept\n");
    has(slowest_of("main"), ">=3.000ms 3.000ms     +0ns  1 app     open main\n");
}

TEST_CASE("of several functions a call inside another that explains it stands for both") {
    model::Profile p = profile();
    // load was called 40 times; its slowest call is that with the slow parse in it.
    add_calls(p.stats[kLoad].durations, p.stats[kLoad].histogram, std::vector<uint64_t>(39, 100));
    add_calls(p.stats[kLoad].durations, p.stats[kLoad].histogram, {1'050'000});
    p.stats[kLoad].slowest = {{.start_ns = 5'200, .duration_ns = 1'050'000, .elapsed_ns = 1'050'500, .path = 1, .thread = 0},
                              {.start_ns = 9'000'000, .duration_ns = 100, .elapsed_ns = 100, .path = 1, .thread = 0}};
    const std::string text = printed(p, [](std::ostream& out, const Page& page) {
        print_slowest(out, page, {parse_order("cumulative"), {}, 10});
    });
    has(text, "   Ordered by: time above the function's median call\n");
    has(text, "1.000ms 1.003us 1.000ms +300.0ns  1 app          main > load(int) > parse(int)\n");
    CHECK(text.find("1.050ms") == std::string::npos);
    has(text, "100.0ns 100.0ns 100.0ns +8.995ms  1 app          main > load(int)\n");
}

TEST_CASE("JSON has the same figures") {
    const model::Profile p = profile();
    const Figures figures(p, false);
    const Names all = names();
    const Page page{p, all, figures, {}, 0, 0, false, {}};
    std::ostringstream out;
    print_slowest_json(out, page);
    nlohmann::json document = nlohmann::json::parse(out.str());
    const nlohmann::json& parse = document.at("functions").at(kParse).at("durations");
    CHECK(parse.at("calls") == 60);
    CHECK(parse.at("sum_ns") == 1'175'000);
    CHECK(parse.at("least_ns") == 1'000);
    CHECK(parse.at("p50_ns") == percentile_ns(p.stats[kParse].durations, p.stats[kParse].histogram, 500));
    CHECK(parse.at("most_ns") == 1'000'000);
    CHECK(parse.at("stddev_ns") == 127'655);
    CHECK(document.at("functions").at(kMain).at("durations").is_null());
    CHECK(document.at("functions").at(kParse).at("first_calls_ns") == 1'000'000);
    REQUIRE(document.at("slowest_calls").size() == 3);
    CHECK(document.at("slowest_calls").at(1).at("elapsed_ns") == 1'000'400);
    CHECK(document.at("slowest_calls").at(0).at("ended_by") == "open");
    std::ostringstream hist;
    print_durations_json(hist, page);
    document = nlohmann::json::parse(hist.str());
    uint64_t calls = 0;
    for (const nlohmann::json& bucket : document.at("histograms").at(0).at("buckets")) calls += bucket.at(2).get<uint64_t>();
    CHECK(calls == 60);
}
