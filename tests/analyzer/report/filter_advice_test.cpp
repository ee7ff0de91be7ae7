// Which functions to leave out of the instrumentation.
#include "report/filter_advice.h"
#include "sample_profile.h"

#include <doctest/doctest.h>

#include <sstream>

using namespace fnprof;
using namespace fnprof::report;

namespace {

// main calls tiny 1,000 times, heavy 10 times, and two functions of a system header; a call's hooks cost 20 ns.
test::Sample small() {
    constexpr uint64_t kHook = 20'000;
    const auto row = [](model::PathId parent, model::FunctionId function, uint64_t ncalls, uint64_t net_ns) {
        return test::PathRow{parent, function, ncalls, net_ns + ncalls * kHook / 1000, ncalls * kHook};
    };
    return {test::profile_of(6, {row(model::kNone, 0, 1, 1'000'000), row(0, 1, 1000, 5'000), row(0, 2, 10, 900'000), row(0, 3, 300, 300), row(0, 4, 200, 200), row(0, 5, 2, 10)}),
            Names({{"main", "main", "/bin/app", "/src/main.cpp", 1, 0x10},
                   {"ns::tiny(int)", "_ZN2ns4tinyEi", "/bin/app", "/src/main.cpp", 5, 0x20},
                   {"ns::heavy_tiny()", "h", "/bin/app", "/src/main.cpp", 9, 0x30},
                   {"std::vector<int>::size() const", "s", "/bin/app", "/usr/include/c++/12/vector", 9, 0x40},
                   {"std::vector<int>::begin()", "b", "/bin/app", "/usr/include/c++/12/vector", 19, 0x50},
                   {"rare()", "r", "/bin/app", "/src/main.cpp", 19, 0x60}})};
}

std::string advice(const test::Sample& sample, uint64_t trace_bytes) {
    const Figures figures(sample.profile, false);
    const Page page{sample.profile, sample.names, figures, {"/src"}, 100, 0, false, {}};
    std::ostringstream out;
    print_filter_advice(out, page, trace_bytes);
    const std::string text = out.str();
    return text.substr(text.find("   These functions"));
}

}  // namespace

TEST_CASE("functions whose hooks cost more than they do are weighed, the dearest first") {
    const test::Sample sample = small();
    const Figures figures(sample.profile, false);
    const Page page{sample.profile, sample.names, figures, {}, 0, 0, false, {}};
    CHECK(hook_cost_per_call(sample.profile) == 20'000);
    const std::vector<Candidate> found = candidates(page);
    REQUIRE(found.size() == 2);
    CHECK(found[0].functions == std::vector<model::FunctionId>{1});
    CHECK(found[0].ncalls == 1000);
    CHECK(found[0].hooks_ps == 20'000'000);
    CHECK(found[0].self_ps == 5'000'000);
    CHECK(found[1].directory == "/usr/include");
    CHECK(found[1].functions == std::vector<model::FunctionId>{3, 4});
    CHECK(found[1].ncalls == 500);
    CHECK(found[1].self_ps == 500'000);
}

TEST_CASE("a call that was held up does not make a function one that does much") {
    test::Sample sample = small();
    model::FunctionStats& tiny = sample.profile.stats[1];
    tiny.cost.self_ns += 4'000'000;
    tiny.durations = {.calls = 1000, .sum_ns = 4'005'000, .least_ns = 4, .most_ns = 4'000'005};
    tiny.histogram = model::Histogram({{model::bucket_of(5), 999}, {model::bucket_of(4'000'005), 1}});
    const Figures figures(sample.profile, false);
    const std::vector<Candidate> found = candidates({sample.profile, sample.names, figures, {}, 0, 0, false, {}});
    REQUIRE(found.size() == 2);
    CHECK(found[0].functions == std::vector<model::FunctionId>{1});
    CHECK(found[0].self_ps == 5'000'000);
}

TEST_CASE("the advice, letter by letter") {
    CHECK(advice(small(), 4567) ==
          R"(   These functions do less than their hooks, which cost 20.00ns a call. Leaving them out saves 1500 of 1513 calls (99.1%) and 30.00us of the 30.26us that the hooks cost, and about as large a part of the 4567 bytes of trace. Their time and their calls become their callers' own.

ncalls self/call   hooks    % Function
  1000     <10ns 20.00us 66.1 main.cpp:5(ns::tiny(int))
   500     <10ns 10.00us 33.0 2 functions of /usr/include

With gcc:
   '-finstrument-functions-exclude-file-list=/usr/include'
   '-finstrument-functions-exclude-function-list=ns::tiny'

With gcc and clang, __attribute__((no_instrument_function)) in the declarations of:
   ns::tiny(int)  main.cpp:5
)");
}

TEST_CASE("what gcc's list would leave out beside is told") {
    test::Sample sample = small();
    sample.names = Names({{"main", "main", "/bin/app", "", 0, 0x10},
                          {"tiny(int)", "t", "/bin/app", "", 0, 0x20},
                          {"heavy_tiny()", "h", "/bin/app", "", 0, 0x30},
                          {"a()", "a", "/bin/app", "", 0, 0x40},
                          {"b()", "b", "/bin/app", "", 0, 0x50},
                          {"rare()", "r", "/bin/app", "", 0, 0x60}});
    CHECK(advice(sample, 0).find("gcc looks for parts of names: heavy_tiny() (10 calls), rare() (2 calls), main (1 call) would be left out too") != std::string::npos);
}

TEST_CASE("patterns for gcc") {
    CHECK(gcc_pattern("leaf(int)") == "leaf");
    CHECK(gcc_pattern("ns::A::leaf(int) const") == "ns::A::leaf");
    CHECK(gcc_pattern("ns::B<int>::leaf(int)") == "::leaf");
    CHECK(gcc_pattern("int ns::two<int, long>(int, long)") == "::two");
    CHECK(gcc_pattern("(anonymous namespace)::leaf(int)") == "::leaf");
    CHECK(gcc_pattern("main::{lambda(int)#1}::operator()(int) const").empty());
}

TEST_CASE("a distortion is worth a line from a tenth on") {
    const auto line = [](const test::Sample& sample) {
        const Figures figures(sample.profile, false);
        return distortion({sample.profile, sample.names, figures, {}, 0, 0, false, {}});
    };
    test::Sample sample = small();
    CHECK(line(sample).empty());  // 30 us of 1.9 ms
    SUBCASE("and without names there is none") {
        sample.profile.stats[0].cost.self_ns -= 1'890'000;
        sample.names = Names(std::vector<Name>());
        CHECK(line(sample).empty());
        return;
    }
    sample.profile.stats[0].cost.self_ns -= 900'000;
    sample.profile.stats[2].cost.self_ns -= 890'000;
    // 30.26 us of 145.77 us
    CHECK(line(sample) == "the hooks cost 20.8% of what was measured, 99.1% of that in calls of tiny, size, begin; 'fnprof-analyze suggest-filter' says what leaving functions out would save");
}
