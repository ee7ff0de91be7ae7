// Call paths told apart by call site, and edges by what takes sites together.
#include <doctest/doctest.h>

#include <string>
#include <tuple>
#include <vector>

#include "model/aggregate.h"
#include "model/edges_by_site.h"
#include "model/merge.h"
#include "support/trace_builder.h"

namespace fnprof::model::test {

namespace {

using testing::enter;
using testing::exit;
using testing::TraceBuilder;
using Kind = CallSite::Kind;

constexpr uint64_t kMain = 0x1100;
constexpr uint64_t kF = 0x1200;
constexpr uint64_t kG = 0x1300;
constexpr uint64_t kStart = 0x500010;  // in libc, which starts main
constexpr uint64_t kSort = 0x500020;   // and calls back from here
constexpr uint64_t kStack = 0x7ffc00000000;

// Call `index` of `calls` at 100 x index, each lasting 50 and returning before the next.
std::vector<uint8_t> trace_of(const std::vector<std::tuple<uint64_t, uint64_t, uint64_t>>& calls, uint64_t pid = 100) {
    TraceBuilder trace;
    trace.process_item.pid = pid;
    trace.process_item.flags = format::kMarksOn;
    trace.process("/bin/app", {"app"});
    trace.clock(format::ClockKind::kMonotonicNs, 0).clock_pair(0, 0).clock_pair(1000000, 1000000);
    trace.module(1, "/bin/app", 0x1000, 0x1000, 0x9000, {0xab});
    trace.module(2, "/lib/libc.so", 0x500000, 0x500000, 0x600000, {0xcd});
    trace.names(1, {{0x100, 0x80, "main"}, {0x200, 0x80, "f"}, {0x300, 0x80, "g"}});
    trace.metadata_block();
    std::vector<format::Slot> records{enter(kMain, kStart, kStack, 1000)};
    uint64_t at = 1000;
    for (const auto& [function, site, stack] : calls) {
        at += 100;
        records.push_back(enter(function, site, stack, at));
        records.push_back(exit(function, site, stack, at + 50));
    }
    records.push_back(exit(kMain, kStart, kStack, at + 100));
    trace.records(1, records).thread(1, 100, "app", 1000).end(at + 200).metadata_block();
    return trace.bytes();
}

Profile read(const std::vector<uint8_t>& trace, bool call_sites) {
    trace::TraceFile file = trace::TraceFile::from_bytes(trace, "made up");
    return aggregate(file, "made up", {.call_sites = call_sites});
}

// (callee, kind, module, offset) -> calls, of those by main
std::vector<std::tuple<std::string, Kind, std::string, uint64_t, uint64_t>> calls_by_site(const Profile& p) {
    std::vector<uint32_t> each(p.call_sites.size());
    for (uint32_t i = 0; i < each.size(); ++i) each[i] = i;
    std::vector<std::tuple<std::string, Kind, std::string, uint64_t, uint64_t>> found;
    for (const SiteEdge& edge : edges_by_site(p, each)) {
        if (edge.caller == kNone || edge.place == kNone) continue;
        const CallSite& site = p.call_sites[edge.place];
        found.emplace_back(p.functions[edge.callee].mangled, site.kind, site.module == kNone ? "" : p.modules[site.module].path, site.offset, edge.ncalls);
    }
    return found;
}

}  // namespace

TEST_CASE("calls are told apart by where they are made") {
    const std::vector<uint8_t> trace = trace_of({{kF, kMain + 0x10, kStack - 64},
                                         {kF, kMain + 0x20, kStack - 64},
                                         {kF, kMain + 0x10, kStack - 64},
                                         {kG, kStart, kStack},       // inlined into main: its call site is main's
                                         {kG, kSort, kStack - 512},  // libc calls back
                                         {kF, kMain + 0x30, kStack - 64}});
    const Profile p = read(trace, true);
    using Row = std::tuple<std::string, Kind, std::string, uint64_t, uint64_t>;
    CHECK(calls_by_site(p) == std::vector<Row>{{"f", Kind::kInCaller, "/bin/app", 0x110, 2},
                                               {"f", Kind::kInCaller, "/bin/app", 0x120, 1},
                                               {"f", Kind::kInCaller, "/bin/app", 0x130, 1},
                                               {"g", Kind::kElsewhere, "/lib/libc.so", 0x20, 1},
                                               {"g", Kind::kInlined, "", 0, 1}});
    SUBCASE("and figures of functions and edges are what they are without") {
        const Profile plain = read(trace, false);
        CHECK(plain.call_sites.empty());
        REQUIRE(plain.functions.size() == p.functions.size());
        for (FunctionId id = 0; id < plain.functions.size(); ++id) {
            CHECK(plain.stats[id].ncalls == p.stats[id].ncalls);
            CHECK(plain.stats[id].cost.cumulative_ns == p.stats[id].cost.cumulative_ns);
            CHECK(plain.stats[id].cost.self_ns == p.stats[id].cost.self_ns);
        }
        REQUIRE(plain.edges.size() == p.edges.size());
        CHECK(plain.paths.size() == 3);
        CHECK(p.paths.size() == 6);
    }
}

TEST_CASE("sites that are taken together have one edge, where recursion is judged") {
    Profile p;
    p.functions.resize(1);
    p.call_sites = {{0, 0x10, Kind::kInCaller}, {0, 0x20, Kind::kInCaller}};
    // f > f (site 0) > f (site 1) > f (site 0), one call each, self times 1, 2, 4, 8
    for (uint32_t i = 0; i < 4; ++i) {
        CallPath& path = p.paths.emplace_back(CallPath{.parent = i == 0 ? kNone : i - 1, .function = 0, .ncalls = 1});
        path.site = i == 0 ? kNone : i % 2 == 1 ? 0 : 1;
        path.cost.self_ns = uint64_t{1} << i;
        path.cost.cumulative_ns = 15 - ((uint64_t{1} << i) - 1);
    }
    const auto check = [](const SiteEdge& edge, uint64_t ncalls, uint64_t primitive, uint64_t self, uint64_t cumulative) {
        CHECK(edge.ncalls == ncalls);
        CHECK(edge.primitive_calls == primitive);
        CHECK(edge.cost.self_ns == self);
        CHECK(edge.cost.cumulative_ns == cumulative);
    };
    SUBCASE("each by itself") {
        const std::vector<SiteEdge> edges = edges_by_site(p, std::vector<uint32_t>{0, 1});
        REQUIRE(edges.size() == 3);
        check(edges[0], 2, 1, 10, 14);  // from f at site 0: the second is within the first
        check(edges[1], 1, 1, 4, 12);
        check(edges[2], 1, 1, 1, 15);
        CHECK(edges[2].caller == kNone);
        CHECK(edges[2].place == kNone);
    }
    SUBCASE("both on one line") {
        const std::vector<SiteEdge> edges = edges_by_site(p, std::vector<uint32_t>{7, 7});
        REQUIRE(edges.size() == 2);
        check(edges[0], 3, 1, 14, 14);
        CHECK(edges[0].place == 7);
    }
}

TEST_CASE("profiles with call sites merge in any order to the same") {
    const Profile a = read(trace_of({{kF, kMain + 0x10, kStack - 64}, {kG, kMain + 0x20, kStack - 64}}), true);
    const Profile b = read(trace_of({{kG, kMain + 0x20, kStack - 64}, {kF, kMain + 0x30, kStack - 64}, {kF, kMain + 0x10, kStack - 64}}, 101), true);
    const Profile ab = merge({a, b}), ba = merge({b, a});
    CHECK(calls_by_site(ab) == calls_by_site(ba));
    using Row = std::tuple<std::string, Kind, std::string, uint64_t, uint64_t>;
    CHECK(calls_by_site(ab) == std::vector<Row>{{"f", Kind::kInCaller, "/bin/app", 0x110, 2},
                                                {"f", Kind::kInCaller, "/bin/app", 0x130, 1},
                                                {"g", Kind::kInCaller, "/bin/app", 0x120, 2}});
    REQUIRE(ab.paths.size() == ba.paths.size());
    for (PathId id = 0; id < ab.paths.size(); ++id) {
        CHECK(ab.paths[id].parent == ba.paths[id].parent);
        CHECK(ab.paths[id].site == ba.paths[id].site);
        CHECK(ab.paths[id].ncalls == ba.paths[id].ncalls);
    }
}

}  // namespace fnprof::model::test
