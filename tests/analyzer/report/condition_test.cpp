#include "report/condition.h"

#include <doctest/doctest.h>

#include <random>

using namespace fnprof::report;

namespace {

Condition one(std::string_view text) {
    const std::vector<Condition> conditions = parse_conditions(text);
    REQUIRE(conditions.size() == 1);
    return conditions.front();
}

std::string complaint(std::string_view text) {
    try {
        parse_conditions(text);
    } catch (const UsageError& error) {
        return error.what();
    }
    return "";
}

bool contains(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("both spellings name a metric and a function") {
    for (const char* text : {"parse p99 > 2ms", "p99(parse) > 2ms", "  p99 ( parse )>2 ms ", "\"parse\" p99 > 2ms", "p99(\"parse\") > 2ms", "parse p99 > +2.0e0ms"}) {
        CAPTURE(text);
        const Condition condition = one(text);
        CHECK(condition.metric == Metric::kP99);
        CHECK(condition.function == "parse");
        CHECK(condition.relation == Relation::kGreater);
        CHECK(condition.value == 2e9L);
        CHECK(condition.unit == Unit::kTime);
    }
}

TEST_CASE("every metric can be written in both ways") {
    for (const char* metric : {"ncalls", "calls", "primitive_calls", "primitive calls", "pcalls"}) {
        CHECK(counts(one(std::string(metric) + "(f) > 1").metric));
        CHECK(one(std::string("f ") + metric + " > 1").function == "f");
    }
    for (const char* metric : {"tottime", "cumtime", "percall_tottime", "percall_cumtime", "mean", "min", "p50", "p90", "p99", "p99.9", "p999", "max", "stddev",
                               "first call", "first_call", "first"}) {
        CHECK(one(std::string("f ") + metric + " > 1us").metric == one(std::string(metric) + "(f) > 1us").metric);
        CHECK(one(std::string("f ") + metric + " > 1us").function == "f");
    }
    CHECK(one("f p99.9 > 1s").metric == Metric::kP999);
    CHECK(one("total > 1s").metric == Metric::kTotal);
    CHECK(one("total_calls > 1").metric == Metric::kTotalCalls);
}

TEST_CASE("values have units, signs and suffixes") {
    CHECK(one("f mean > 12ns").value == 12'000);
    CHECK(one("f mean > 2.3us").value == 2'300'000);
    CHECK(one("f mean > 0.1s").value == 1e11L);
    CHECK(one("f mean > 3\xc2\xb5s").value == 3'000'000);
    CHECK(one("f mean > 0").value == 0);
    CHECK(one("f ncalls > 1.5k").value == 1500);
    CHECK(one("f ncalls > 2M").value == 2'000'000);
    CHECK(one("f ncalls > 3G").value == 3e9L);
    CHECK(one("f ncalls > 1e6").value == 1'000'000);
    const Condition percent = one("cumtime(f) <= -10%");
    CHECK(percent.unit == Unit::kPercent);
    CHECK(percent.value == -10);
    CHECK(percent.is_signed);
    CHECK_FALSE(one("cumtime(f) > 10%").is_signed);
}

TEST_CASE("every operator compares as it does in C") {
    const auto at = [](std::string_view sign) { return one("f ncalls " + std::string(sign) + " 2").relation; };
    CHECK((holds(at(">"), 3, 2) && !holds(at(">"), 2, 2)));
    CHECK((holds(at(">="), 2, 2) && !holds(at(">="), 1, 2)));
    CHECK((holds(at("<"), 1, 2) && !holds(at("<"), 2, 2)));
    CHECK((holds(at("<="), 2, 2) && !holds(at("<="), 3, 2)));
    CHECK((holds(at("=="), 2, 2) && !holds(at("=="), 3, 2)));
    CHECK((holds(at("!="), 3, 2) && !holds(at("!="), 2, 2)));
}

TEST_CASE("functions have the names that C++ gives them") {
    CHECK(one("ncalls(std::map<int, long>::find(int const&) const) > 1").function == "std::map<int, long>::find(int const&) const");
    CHECK(one("operator<(A, B) p99 > 1ms").function == "operator<(A, B)");
    CHECK(one("ncalls(operator>=(A, B)) >= 1").function == "operator>=(A, B)");
    CHECK(one("max(int) p50 > 1ns").function == "max(int)");
    CHECK(one("(anonymous namespace)::f p50 > 1ns").function == "(anonymous namespace)::f");
    CHECK(one("\"f(a; b) > 3\" ncalls > 1").function == "f(a; b) > 3");
    CHECK(one("ncalls(f primitive_calls) > 1").function == "f primitive_calls");
}

TEST_CASE("conditions stand between semicolons, empty ones say nothing") {
    const std::vector<Condition> conditions = parse_conditions(" ; f p99 > 2ms;;\n ncalls(g) > 1 ;");
    REQUIRE(conditions.size() == 2);
    CHECK(conditions[0].text == "f p99 > 2ms");
    CHECK(conditions[1].text == "ncalls(g) > 1");
}

TEST_CASE("what is no condition is told with what is wrong") {
    for (const char* text : {"", ";", "  ; ;"}) CHECK(contains(complaint(text), "there is no condition"));
    CHECK(contains(complaint("parse p99"), "no comparison"));
    CHECK(contains(complaint("parse p99 = 2ms"), "no comparison"));
    CHECK(contains(complaint("parse p98 > 2ms"), "'p98' is no metric, did you mean p90?"));
    CHECK(contains(complaint("nclls(parse) > 2"), "'nclls' is no metric, did you mean ncalls?"));
    CHECK(contains(complaint("parse p99 > 2"), "write ns, us, ms or s"));
    CHECK(contains(complaint("ncalls(parse) > 2ms"), "number of calls, not a time"));
    CHECK(contains(complaint("p99 > 2ms"), "of which function"));
    CHECK(contains(complaint("ncalls() > 2"), "of which function"));
    CHECK(contains(complaint("total(f) > 2s"), "of the whole profile"));
    CHECK(contains(complaint("f ncalls > \"2"), "no partner"));
    for (const char* value : {"", "inf", "nan", "-nan", "0x10", "1e999", "1e", "1..2", "--1", "+-1", "1 2", "2 mss", "1,5", "many", "2ms2", "%", ".", "+"}) {
        CAPTURE(value);
        CHECK(contains(complaint(std::string("f ncalls > ") + value), "is no value"));
    }
}

TEST_CASE("huge input is bounded work and huge numbers are numbers") {
    CHECK(one("f ncalls > 1e300").value == 1e30L);
    CHECK(one("f mean > 1e300s").value == 1e30L);
    const std::string deep(200'000, '(');
    CHECK(contains(complaint(deep), "no comparison"));
    CHECK(one(deep + " ncalls > 1").function == deep);
    std::string many;
    for (int i = 0; i < 20'000; ++i) many += "f ncalls > 1;";
    CHECK(parse_conditions(many).size() == 20'000);
}

TEST_CASE("whatever is typed is parsed or refused") {
    std::mt19937 random(11);
    const std::vector<std::string> pieces{"f", "p99", "ncalls", "(", ")", ">", "<", "=", "!", "\"", ";", " ", "2", "ms", "%", "+", "-", ".", "e9", "total", "\xff", "first call", "k"};
    size_t parsed = 0, refused = 0;
    for (int i = 0; i < 50'000; ++i) {
        std::string text = i % 2 == 0 ? "f p99 > 2ms; ncalls(g) >= 1k" : "";
        for (size_t k = random() % 4; k-- > 0;) text.insert(random() % (text.size() + 1), pieces[random() % pieces.size()]);
        if (random() % 2 == 0) text.erase(random() % (text.size() + 1), random() % 3);
        try {
            for (const Condition& condition : parse_conditions(text)) CHECK(condition.function.empty() == has_no_function(condition.metric));
            ++parsed;
        } catch (const UsageError&) {
            ++refused;
        }
    }
    CHECK(parsed > 1000);
    CHECK(refused > 1000);
}
