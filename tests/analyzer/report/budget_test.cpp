#include "report/budget.h"

#include "compared.h"
#include "sample_profile.h"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <sstream>

using namespace fnprof::report;
using namespace fnprof;
using compare::Run;
using compare::test::run_of;
using nlohmann::json;
using test::Compared;

namespace {

constexpr uint64_t kMs = 1'000'000;

bool contains(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

// text::parse has two calls of 1 ms, one of 3 ms and one of 10 ms.
class Budget {
  public:
    Budget() : sample_(test::sample()), figures_(sample_.profile, false), page_{sample_.profile, sample_.names, figures_, {"/home/user/app", false, false}, 0, 0, false, {}, {}} {
        model::FunctionStats& parse = sample_.profile.stats[2];
        std::vector<model::Histogram::Count> counts;
        for (const uint64_t ms : {1, 1, 3, 10}) {
            parse.durations.add(ms * kMs);
            const uint32_t bucket = model::bucket_of(ms * kMs);
            if (!counts.empty() && counts.back().bucket == bucket)
                ++counts.back().calls;
            else
                counts.push_back({bucket, 1});
        }
        parse.histogram = model::Histogram(counts);
        parse.first = {1, 10 * kMs};
    }

    std::vector<JudgedCondition> judge(std::string_view text, const std::vector<std::string>& absent = {}) const {
        return judge_budget(page_, parse_conditions(text), absent);
    }
    bool fails(std::string_view text) const { return any_holds(judge(text)); }
    std::string complaint(std::string_view text, const std::vector<std::string>& absent = {}) const {
        try {
            judge(text, absent);
        } catch (const UsageError& error) {
            return error.what();
        }
        return "";
    }
    const Page& page() const { return page_; }

  private:
    test::Sample sample_;
    Figures figures_;
    Page page_;
};

std::vector<JudgedCondition> judged(const Compared& it, std::string_view text, const std::vector<std::string>& absent = {}) {
    return judge_changes(it.diff(), parse_conditions(text), absent);
}

}  // namespace

TEST_CASE("every metric is the figure that the reports print") {
    const Budget budget;
    for (const char* text : {"ncalls(fib) == 7", "primitive_calls(fib) == 1", "tottime(text::parse) >= 499.98ms", "tottime(text::parse) == 499.98ms", "cumtime(fib) < 70ms",
                             "percall_tottime(fib) > 9.9ms", "percall_cumtime(fib) > 69ms", "text::parse mean == 3.75ms", "text::parse min == 1ms", "text::parse max == 10ms",
                             "text::parse p50 < 1.01ms", "text::parse p90 > 9.9ms", "text::parse stddev > 3.69ms", "text::parse first call == 10ms", "total > 755ms",
                             "total_calls == 3122", "tottime(text::parse) > 66%", "cumtime(main) > 88%"}) {
        CAPTURE(text);
        CHECK(budget.fails(text));
    }
    for (const char* text : {"ncalls(fib) > 7", "tottime(text::parse) > 67%", "total > 757ms", "text::parse stddev > 3.7ms", "text::parse p99 > 10ms"}) {
        CAPTURE(text);
        CHECK_FALSE(budget.fails(text));
    }
}

TEST_CASE("what the clock cannot show breaks no budget, and that is said") {
    const Budget budget;
    const JudgedCondition tiny = budget.judge("tottime(tiny) >= 0ns").front();
    CHECK_FALSE(tiny.holds);
    CHECK(tiny.figure_text == "<1.0us");
    CHECK(tiny.remark == "too short to be measured");
    CHECK(budget.fails("tottime(tiny) < 1us"));
    const JudgedCondition open = budget.judge("worker p99 > 1ns").front();
    CHECK_FALSE(open.holds);
    CHECK(open.remark == "no call of it has ended");
}

TEST_CASE("a misspelt or ambiguous function is an error, an absent one must be announced") {
    const Budget budget;
    CHECK(contains(budget.complaint("wroker p99 > 1ms"), "did you mean worker?"));
    CHECK(contains(budget.complaint("helper p99 > 1ms"), "2 functions are called helper"));
    CHECK(contains(budget.complaint("ncalls(gone) > 0"), "--absent 'gone'"));
    const std::vector<JudgedCondition> absent = budget.judge("ncalls(gone) > 0; gone p99 > 1ms; ncalls(gone) == 0", {"gone"});
    CHECK_FALSE(absent[0].holds);
    CHECK(absent[0].figure_text == "0");
    CHECK_FALSE(absent[1].holds);
    CHECK(absent[1].remark == "not called");
    CHECK(absent[2].holds);
    CHECK(contains(budget.complaint("ncalls(fib) > 0", {"fob"}), "--absent fob: no condition"));
}

TEST_CASE("changes and shares of what has none are no budget") {
    const Budget budget;
    CHECK(contains(budget.complaint("fib mean > +1ms"), "diff --fail-on"));
    CHECK(contains(budget.complaint("fib p99 > 10%"), "share of the total"));
    CHECK(contains(budget.complaint("ncalls(fib) > 10%"), "share of the total"));
}

TEST_CASE("the report begins with the outcome and its reasons") {
    const Budget budget;
    std::ostringstream out;
    print_budget(out, budget.page(), budget.judge("text::parse p99 > 2ms; ncalls(fib) > 1k; tottime(tiny) > 1ns"));
    CHECK(out.str().starts_with(R"(Failed: 1 of 3 conditions holds

FAIL  text::parse p99 > 2ms  10.00ms
ok    ncalls(fib) > 1k       7
ok    tottime(tiny) > 1ns    <1.0us   too short to be measured

         3122 function calls )"));
    std::ostringstream markdown;
    print_budget_markdown(markdown, budget.page(), budget.judge("text::parse p99 > 2ms"));
    CHECK(markdown.str() == "**Failed: the condition holds**\n\n|  | condition | figure |  |\n|:---|:---|---:|:---|\n| **FAIL** | `text::parse p99 > 2ms` | 10.00ms |  |\n\n");
    std::ostringstream document;
    print_budget_json(document, budget.page(), budget.judge("text::parse p99 > 2ms"));
    const json condition = json::parse(document.str()).at("conditions").at(0);
    CHECK(condition.at("holds") == true);
    CHECK(condition.at("id") == 2);
    CHECK(condition.at("limit") == 2e9);
    CHECK(condition.at("figure") == 1e10);
}

TEST_CASE("a change within its interval does not fail a comparison, one beyond it does") {
    const auto run = [](uint64_t ms, uint8_t build) { return run_of({{"main", 1, ms * kMs}, {"main/f", 2, 5 * kMs}}, build); };
    const Compared noisy({run(100, 1), run(120, 1), run(110, 1)}, {run(115, 2), run(117, 2)});
    const JudgedCondition total = judged(noisy, "total > +1%").front();
    CHECK_FALSE(total.holds);
    CHECK(total.figure_text == "+6.000ms (+5.2%)");
    CHECK(total.remark == "within noise: 95% interval -17.91ms to +29.91ms");
    const Compared sure({run(100, 1), run(101, 1)}, {run(120, 2), run(121, 2)});
    CHECK(judged(sure, "total > +10%").front().holds);
    CHECK(judged(sure, "total > +10ms").front().holds);
    CHECK_FALSE(judged(sure, "total > +30%").front().holds);
    CHECK(judged(sure, "total > 0").front().holds);
    CHECK_FALSE(judged(sure, "total < -10%").front().holds);
}

TEST_CASE("with one run a side counts are exact, means are judged by their calls, and other times by themselves") {
    Run a = run_of({{"main", 1, 100 * kMs}, {"main/f", 4, 8 * kMs}}), b = run_of({{"main", 1, 100 * kMs}, {"main/f", 5, 20 * kMs}, {"main/new", 1, kMs}}, 2);
    for (const uint64_t ms : {1, 2, 2, 3}) a.profile.stats[1].durations.add(ms * kMs);
    for (const uint64_t ms : {1, 2, 4, 6, 7}) b.profile.stats[1].durations.add(ms * kMs);
    const Compared it({a}, {b});
    CHECK(judged(it, "ncalls(f) > 0").front().holds);
    CHECK(judged(it, "ncalls(f) > +20%").front().figure_text == "+1 (+25.0%)");
    CHECK(judged(it, "ncalls(f) > +20%").front().holds);
    CHECK_FALSE(judged(it, "ncalls(f) > +1").front().holds);
    CHECK(contains(judged(it, "mean(f) > +10%").front().remark, "within noise"));
    const JudgedCondition self = judged(it, "tottime(f) > +10%").front();
    CHECK(self.holds);
    CHECK(self.remark == "one run a side: whether it is noise is not known");
    CHECK(judged(it, "ncalls(new) > +10%").front().holds);
    CHECK(judged(it, "ncalls(new) > +10%").front().figure_text == "+1 (from 0)");
    CHECK(judged(it, "mean(new) > +10%").front().remark == "no call of it has ended in A");
    CHECK_FALSE(judged(it, "ncalls(gone) > 0", {"gone"}).front().holds);
    CHECK_THROWS_AS(judged(it, "ncalls(f) > 1"), UsageError);
    CHECK_THROWS_AS(judged(it, "ncalls(gone) > 0"), UsageError);
}
