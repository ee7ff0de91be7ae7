#include "report/concurrency.h"
#include "report/order.h"
#include "report/thread_table.h"
#include "sample_profile.h"

#include <doctest/doctest.h>

#include <sstream>
#include <vector>

using namespace fnprof;
using namespace fnprof::report;

namespace {

// Four threads of 1.6 ms; 4,096 ns are a slice of a strip.
model::Profile four_threads() {
    constexpr uint64_t kStart = 4096ull * 1000, kLife = 4096ull * 400;
    model::Profile profile;
    model::Process process;
    process.pid = 7;
    process.start_ns = kStart;
    profile.processes.push_back(process);
    const auto add = [&](const char* name, uint64_t from, uint64_t to) {
        model::Thread thread{.process = 0, .serial = static_cast<uint32_t>(profile.threads.size() + 1), .tid = 100, .name = name,
                             .start_ns = kStart + from, .end_ns = kStart + to};
        profile.threads.push_back(thread);
    };
    add("all", 0, kLife);
    add("half", 0, kLife);
    add("late", kLife / 2, kLife);
    add("idle", 0, kLife);
    profile.threads[0].activity.add(kStart, kStart + kLife);
    profile.threads[1].activity.add(kStart, kStart + kLife / 2);
    for (uint64_t at = kLife / 2; at < kLife; at += 4096 * 2) profile.threads[2].activity.add(kStart + at, kStart + at + 4096);
    for (model::Thread& thread : profile.threads) {
        for (const uint64_t ns : thread.activity.busy_ns()) thread.busy_ns += ns;
    }
    return profile;
}

std::string drawn(const model::Profile& profile, const std::vector<uint32_t>& threads, bool utf8, size_t width = 31) {
    const Names names{std::vector<Name>()};
    const Figures figures(profile, false);
    const Page page{.profile = profile, .names = names, .figures = figures, .paths = {}, .width = width, .wrap = 0, .colour = false, .notes = {}, .commands = {}, .utf8 = utf8};
    std::ostringstream out;
    print_concurrency(out, page, threads);
    return out.str();
}

}  // namespace

TEST_CASE("each thread has its shares of each stretch of time, and all together the number of busy ones") {
    const std::string text = drawn(four_threads(), {0, 1, 2, 3}, true);
    CHECK(text.starts_with("  1 all  |████████████████████|\n"
                           "  2 half |██████████··········|\n"
                           "  3 late |          ▄▄▄▄▄▄▄▄▄▄|\n"
                           "  4 idle |····················|\n"
                           "  active |22222222222222222222|\n"
                           "         +0ns          +1.638ms\n"));
    CHECK(text.find("1.75 on average, at most 2.00") != std::string::npos);
    const std::string ascii = drawn(four_threads(), {2, 1}, false);
    CHECK(ascii.starts_with("  3 late |          ++++++++++|\n"
                            "  2 half |##########..........|\n"
                            "  active |22222222222222222222|\n"));
}

TEST_CASE("a page that is too narrow still has a strip, and long names are cut") {
    model::Profile profile = four_threads();
    profile.threads[0].name = "a thread with a very long name";
    CHECK(drawn(profile, {0}, false, 10).starts_with("  1 a thread with a ver... |################|\n"));
}

TEST_CASE("clocks of several boots are not compared") {
    model::Profile profile = four_threads();
    profile.processes.push_back(profile.processes.front());
    profile.processes.back().boot_id[0] = 1;
    CHECK(drawn(profile, {0}, true).find("clocks do not compare") != std::string::npos);
}

TEST_CASE("threads are sorted by keys and beginnings of them, the greatest amount first, names rising") {
    const model::Profile profile = four_threads();
    const auto order = [&](const char* keys) { return sorted_threads(profile, parse_thread_order(keys)); };
    CHECK(order("busy") == std::vector<uint32_t>{0, 1, 2, 3});
    CHECK(order("util") == std::vector<uint32_t>{0, 1, 2, 3});
    CHECK(order("name") == std::vector<uint32_t>{0, 1, 3, 2});
    CHECK(order("life,name") == std::vector<uint32_t>{0, 1, 3, 2});
    CHECK(order("start,thread") == std::vector<uint32_t>{0, 1, 3, 2});
    ThreadOrder reversed = parse_thread_order("thread");
    reversed.reversed = true;
    CHECK(sorted_threads(profile, reversed) == std::vector<uint32_t>{3, 2, 1, 0});
    CHECK_THROWS_WITH_AS(parse_thread_order("l"), "sort key 'l' can be life or lost", UsageError);
    CHECK_THROWS_AS(parse_thread_order("cumulative"), UsageError);
}
