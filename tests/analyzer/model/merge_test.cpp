#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <sstream>

#include "call_tree.h"
#include "model/merge.h"

namespace fnprof::model::test {

namespace {

// Everything in a profile, as text.
std::string written(const Profile& p) {
    std::ostringstream out;
    const auto cost = [&](const Cost& c) {
        out << ' ' << c.self_ns << ' ' << c.cumulative_ns << ' ' << c.self_hook_ps << ' ' << c.cumulative_hook_ps << '\n';
    };
    const auto durations = [&](const Durations& d) {
        out << " durations " << d.calls << ' ' << d.sum_ns << ' ' << static_cast<uint64_t>(d.sum_of_squares >> 64) << ' '
            << static_cast<uint64_t>(d.sum_of_squares) << ' ' << d.least_ns << ' ' << d.most_ns;
    };
    const auto histogram = [&](const Histogram& h) {
        for (const Histogram::Count& count : h.counts()) out << ' ' << count.bucket << ':' << count.calls;
    };
    for (const Module& m : p.modules) {
        out << "module " << m.path;
        for (const uint8_t byte : m.build_id) out << ' ' << int{byte};
        out << '\n';
    }
    for (const Function& f : p.functions) out << "function " << f.module << ' ' << f.offset << ' ' << f.mangled << '\n';
    for (const FunctionStats& s : p.stats) {
        out << "stats " << s.ncalls << ' ' << s.primitive_calls << ' ' << s.open_calls << ' ' << s.unwound_calls << " first "
            << s.first.processes << ' ' << s.first.sum_ns;
        for (const CallInstance& c : s.slowest) {
            out << " [" << c.start_ns << ' ' << c.duration_ns << ' ' << c.elapsed_ns << ' ' << c.path << ' ' << c.thread << ']';
        }
        durations(s.durations);
        histogram(s.histogram);
        cost(s.cost);
    }
    for (const Edge& e : p.edges) {
        out << "edge " << e.caller << ' ' << e.callee << ' ' << e.ncalls << ' ' << e.primitive_calls;
        durations(e.durations);
        histogram(e.histogram);
        cost(e.cost);
    }
    for (const CallPath& c : p.paths) {
        out << "path " << c.parent << ' ' << c.function << ' ' << c.ncalls;
        durations(c.durations);
        cost(c.cost);
    }
    for (const Process& one : p.processes) {
        out << "process " << one.pid << ' ' << one.program << ' ' << one.trace << ' ' << one.start_ns << ' ' << one.end_ns;
        for (const uint32_t module : one.modules) out << " m" << module;
        out << '\n';
    }
    for (const Thread& t : p.threads) {
        out << "thread " << t.process << ' ' << t.serial << ' ' << t.tid << ' ' << t.name << ' ' << t.ncalls << ' ' << t.busy_ns << '\n';
    }
    const Integrity& i = p.integrity;
    out << "integrity " << i.complete << ' ' << i.lost_records << ' ' << i.torn_records << ' ' << i.damaged_blocks << ' '
        << i.missing_chunks << ' ' << i.open_frames << ' ' << i.unmatched_exits << ' ' << i.unended_processes << ' ' << i.live_records;
    for (const std::string& remark : i.remarks) out << " [" << remark << ']';
    out << '\n';
    return out.str();
}

Profile random_profile(std::mt19937& random, uint32_t number) {
    CallTree t({.inner_ps = 100 + random() % 100, .outer_ps = 50 + random() % 100});
    std::vector<std::string> active;
    for (int step = 0; step < 400; ++step) {
        t.tick(random() % 100);
        if (active.empty() || (active.size() < 12 && random() % 2 == 0)) {
            active.push_back("f" + std::to_string(random() % 7));
            t.enter(active.back());
        } else {
            t.exit(active.back());
            active.pop_back();
        }
    }
    for (; !active.empty(); active.pop_back()) t.exit(active.back());
    Profile p = t.profile();
    // Functions are numbered by first use and lie where their name says; some have no name in some profiles.
    for (Function& f : p.functions) {
        f.offset = 16u * static_cast<uint64_t>(f.mangled[1] - '0');
        if (random() % 3 == 0) f.mangled.clear();
    }
    if (random() % 2 == 0) {
        p.modules.push_back({"/lib/extra.so", {}});
        p.functions[random() % p.functions.size()].module = 1;
    }
    Process process;
    process.pid = 100 + number % 3;
    process.trace = "trace." + std::to_string(number) + ".zst";
    process.start_ns = random() % 1000;
    for (uint32_t m = 0; m < p.modules.size(); ++m) process.modules.push_back(m);
    p.processes.push_back(process);
    for (uint32_t serial = 2; serial >= 1; --serial) {
        Thread thread;
        thread.process = 0;
        thread.serial = serial;
        thread.busy_ns = random() % 1000;
        p.threads.push_back(thread);
    }
    p.integrity.complete = random() % 4 != 0;
    p.integrity.lost_records = random() % 5;
    p.integrity.unmatched_exits = random() % 5;
    p.integrity.remarks = {"remark " + std::to_string(random() % 3)};
    return p;
}

// One function f that calls g, in a module of the given path and build.
Profile build(const std::string& path, uint8_t build_id, uint64_t offset, const std::string& extra = "") {
    CallTree t;
    t.call("f", [&] {
        t.tick(10);
        t.call("g", [&] { t.tick(5); });
    });
    Profile p = t.profile();
    p.modules[0] = {path, {build_id}};
    p.functions[0].offset = offset;
    p.functions[1].offset = offset + 32;
    if (!extra.empty()) {
        p.functions.push_back({0, offset + 64, extra});
        p.stats.push_back({.ncalls = 1, .primitive_calls = 1});
    }
    Process process;
    process.trace = path;
    process.modules = {0};
    p.processes.push_back(process);
    p.threads.emplace_back().process = 0;
    return p;
}

}  // namespace

TEST_CASE("profiles merged in any order, at once or one by one, give the same bytes") {
    std::mt19937 random(11);
    for (int round = 0; round < 30; ++round) {
        std::vector<Profile> profiles;
        for (uint32_t i = 0; i < 5; ++i) profiles.push_back(random_profile(random, i));
        const std::string expected = written(merge(profiles));
        std::ranges::shuffle(profiles, random);
        CHECK(written(merge(profiles)) == expected);
        Profile left = profiles[0];
        for (size_t i = 1; i < profiles.size(); ++i) left = merge({left, profiles[i]});
        CHECK(written(left) == expected);
        const Profile some = merge({profiles[3], profiles[1]});
        const Profile rest = merge({profiles[4], profiles[0], profiles[2]});
        CHECK(written(merge({rest, some})) == expected);
        CHECK(written(merge({left})) == expected);
    }
}

TEST_CASE("a merged profile's figures are the sums and its paths still add up") {
    std::mt19937 random(5);
    const std::vector<Profile> profiles{random_profile(random, 0), random_profile(random, 1)};
    const Profile p = merge(profiles);
    CHECK(p.total_calls() == profiles[0].total_calls() + profiles[1].total_calls());
    CHECK(p.total_self_ns() == profiles[0].total_self_ns() + profiles[1].total_self_ns());
    CHECK(p.total_net_ps() == profiles[0].total_net_ps() + profiles[1].total_net_ps());
    CHECK(p.primitive_calls() == profiles[0].primitive_calls() + profiles[1].primitive_calls());
    CHECK(p.processes.size() == 2);
    CHECK(p.threads.size() == 4);
    std::vector<uint64_t> children(p.paths.size());
    for (size_t i = 0; i < p.paths.size(); ++i) {
        if (p.paths[i].parent == kNone) continue;
        REQUIRE(p.paths[i].parent < i);
        children[p.paths[i].parent] += p.paths[i].cost.cumulative_ns;
    }
    for (size_t i = 0; i < p.paths.size(); ++i) CHECK(p.paths[i].cost.cumulative_ns == p.paths[i].cost.self_ns + children[i]);
}

TEST_CASE("the wall time of several processes is measured by the clock that they share") {
    const auto process = [](uint8_t boot, uint64_t wall_start, uint64_t start, uint64_t end) {
        Process p;
        p.boot_id.fill(boot);
        p.wall_start_unix_ns = wall_start;
        p.start_ns = start;
        p.end_ns = end;
        return p;
    };
    Profile profile;
    CHECK(profile.wall_ns() == 0);
    CHECK(profile.first_process() == nullptr);
    // The wall clock was set back between the two; the monotonic clock was not.
    profile.processes = {process('A', 5000, 1000, 1400), process('A', 4000, 1500, 1700)};
    CHECK(profile.wall_ns() == 700);
    CHECK(profile.first_process() == &profile.processes[1]);
    // Of two boots the monotonic clocks have nothing to do with each other.
    profile.processes = {process('A', 5000, 900'000, 900'400), process('B', 5300, 20, 320)};
    CHECK(profile.wall_ns() == 600);
}

TEST_CASE("two functions of one name in one module stay two") {
    Profile p = build("/bin/app", 1, 0x100);
    p.functions[1].mangled = "f";
    const Profile unified = unify_builds(merge({p, build("/bin/app", 1, 0x900)}));
    CHECK(std::ranges::count(unified.functions, std::string("f"), &Function::mangled) == 3);
}

TEST_CASE("functions of two builds of a program become one by name") {
    const Profile p = unify_builds(merge({build("/old/app", 1, 0x100), build("/new/app", 2, 0x500, "only_new")}));
    const auto f = std::ranges::find(p.functions, std::string("f"), &Function::mangled);
    REQUIRE(f != p.functions.end());
    const auto id = static_cast<size_t>(f - p.functions.begin());
    CHECK(p.stats[id].ncalls == 2);
    CHECK(p.stats[id].cost.cumulative_ns == 30);
    CHECK(std::ranges::count(p.functions, std::string("f"), &Function::mangled) == 1);
    CHECK(std::ranges::count(p.functions, std::string("only_new"), &Function::mangled) == 1);
    CHECK(p.paths.size() == 2);
    CHECK(p.edges.size() == 2);
}

TEST_CASE("of two builds the one that ran last stands for both") {
    for (const bool first_ran_last : {false, true}) {
        Profile first = build("/bin/app", 1, 0x100), second = build("/bin/app", 2, 0x500);
        first.processes[0].wall_start_unix_ns = first_ran_last ? 2000 : 1000;
        second.processes[0].wall_start_unix_ns = first_ran_last ? 1000 : 2000;
        const Profile p = unify_builds(merge({first, second}));
        const auto f = std::ranges::find(p.functions, std::string("f"), &Function::mangled);
        REQUIRE(f != p.functions.end());
        CHECK(f->offset == (first_ran_last ? 0x100 : 0x500));
        CHECK(p.modules[f->module].build_id == std::vector<uint8_t>{static_cast<uint8_t>(first_ran_last ? 1 : 2)});
    }
}

TEST_CASE("equal names in two modules that one process loaded stay two functions") {
    Profile p = build("/plugins/a/impl.so", 1, 0x100);
    p.modules.push_back({"/plugins/b/impl.so", {2}});
    p.functions[1].module = 1;
    p.functions[1].mangled = "f";
    p.processes[0].modules = {0, 1};
    CHECK(std::ranges::count(unify_builds(merge({p})).functions, std::string("f"), &Function::mangled) == 2);
}

}  // namespace fnprof::model::test
