#include "report/call_path.h"
#include "report/paths.h"
#include "sample_profile.h"

#include <doctest/doctest.h>

#include <sstream>

using namespace fnprof;
using namespace fnprof::report;

namespace {

// The example that tools which keep edges alone have to guess at: main calls a(4, 1), b calls a(1, 4), and a calls work.
model::Profile guessed_elsewhere() {
    constexpr uint64_t kMs = 1'000'000;
    model::Profile p = test::profile_of(4, {{model::kNone, 0, 1, kMs}, {0, 1, 1, 4 * kMs}, {1, 3, 1, kMs}, {0, 2, 1, kMs}, {3, 1, 1, kMs}, {4, 3, 1, 4 * kMs}});
    p.paths[5].durations.add(4 * kMs);
    return p;
}

std::string paths_of(const model::Profile& p, const std::string& pattern, size_t each = 10) {
    const Names names({{"main", "main", "m", "", 0}, {"a(int, int)", "a", "m", "", 0}, {"b()", "b", "m", "", 0}, {"work(int)", "work", "m", "", 0}});
    const Figures figures(p, false);
    const Page page{p, names, figures, {}, 0, 0, false, {}};
    std::ostringstream out;
    print_paths(out, page, {parse_order("cumulative"), {Matching{pattern}}, each});
    const std::string text = out.str();
    return text.substr(text.find("m("));
}

}  // namespace

TEST_CASE("each call path has its own time, however its edges are shared") {
    const std::string text = paths_of(guessed_elsewhere(), "work");
    CAPTURE(text);
    CHECK(text.starts_with("m(work(int))\n"
                           "ncalls tottime cumtime     min    mean     max stddev call path\n"
                           "     1 4.000ms 4.000ms 4.000ms 4.000ms 4.000ms    0ns main > b() > a(int, int) > work(int)\n"
                           "     1 1.000ms 1.000ms                                main > a(int, int) > work(int)\n"));
}

TEST_CASE("paths that are not shown are weighed") {
    const std::string text = paths_of(guessed_elsewhere(), "work", 1);
    CAPTURE(text);
    CHECK(text.find("   1 more call path not shown: 1 call, 1.000ms of internal time; 'all' shows everything\n") != std::string::npos);
}

TEST_CASE("a call path that is too long loses its outer calls") {
    const model::Profile p = guessed_elsewhere();
    const Names names({{"main", "main", "m", "", 0}, {"a", "a", "m", "", 0}, {"b", "b", "m", "", 0}, {"work", "work", "m", "", 0}});
    const Figures figures(p, false);
    const Page page{p, names, figures, {}, 0, 0, false, {}};
    CHECK(call_path_text(page, 5, 0) == "main > b > a > work");
    CHECK(call_path_text(page, 5, 20) == "... > b > a > work");
    CHECK(call_path_text(page, 5, 16) == "... > a > work");
    CHECK(call_path_text(page, 5, 3) == "... > work");
    CHECK(call_path_text(page, 0, 3) == "main");
}
