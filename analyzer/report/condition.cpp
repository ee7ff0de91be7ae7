#include "report/condition.h"

#include "report/nearest.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>

namespace fnprof::report {
namespace {

struct MetricName {
    std::string_view name;
    Metric metric;
};
// The first name of a metric is the one that is printed.
constexpr std::array<MetricName, 29> kMetrics{{
    {"ncalls", Metric::kCalls},
    {"calls", Metric::kCalls},
    {"primitive_calls", Metric::kPrimitiveCalls},
    {"primitive calls", Metric::kPrimitiveCalls},
    {"pcalls", Metric::kPrimitiveCalls},
    {"tottime", Metric::kSelf},
    {"time", Metric::kSelf},
    {"cumtime", Metric::kCumulative},
    {"cumulative", Metric::kCumulative},
    {"percall_tottime", Metric::kSelfPerCall},
    {"percall_cumtime", Metric::kCumulativePerCall},
    {"mean", Metric::kMean},
    {"min", Metric::kLeast},
    {"least", Metric::kLeast},
    {"p50", Metric::kP50},
    {"median", Metric::kP50},
    {"p90", Metric::kP90},
    {"p99", Metric::kP99},
    {"p99.9", Metric::kP999},
    {"p999", Metric::kP999},
    {"max", Metric::kMost},
    {"most", Metric::kMost},
    {"stddev", Metric::kDeviation},
    {"first_call", Metric::kFirst},
    {"first call", Metric::kFirst},
    {"first", Metric::kFirst},
    {"total", Metric::kTotal},
    {"total_calls", Metric::kTotalCalls},
    {"total calls", Metric::kTotalCalls},
}};

struct Operator {
    std::string_view sign;
    Relation relation;
};
// Longer ones first.
constexpr std::array<Operator, 6> kOperators{{
    {">=", Relation::kGreaterOrEqual},
    {"<=", Relation::kLessOrEqual},
    {"==", Relation::kEqual},
    {"!=", Relation::kUnequal},
    {">", Relation::kGreater},
    {"<", Relation::kLess},
}};

struct Suffix {
    std::string_view name;
    Unit unit;
    long double factor;
};
constexpr std::array<Suffix, 10> kSuffixes{{
    {"", Unit::kPlain, 1},
    {"k", Unit::kPlain, 1e3L},
    {"M", Unit::kPlain, 1e6L},
    {"G", Unit::kPlain, 1e9L},
    {"ns", Unit::kTime, 1e3L},
    {"us", Unit::kTime, 1e6L},
    {"\xc2\xb5s", Unit::kTime, 1e6L},
    {"ms", Unit::kTime, 1e9L},
    {"s", Unit::kTime, 1e12L},
    {"%", Unit::kPercent, 1},
}};

// Beyond any time and count that can be; keeps what is computed with it in its type.
constexpr long double kMostValue = 1e30L;

constexpr std::string_view kBlanks = " \t\r\n";

std::string_view trimmed(std::string_view text) {
    const size_t begin = text.find_first_not_of(kBlanks);
    if (begin == std::string_view::npos) return {};
    return text.substr(begin, text.find_last_not_of(kBlanks) + 1 - begin);
}

[[noreturn]] void reject(std::string_view condition, const std::string& why) {
    throw UsageError(fmt::format("condition '{}': {}", printable(condition), why));
}

// Between semicolons that stand in no quotes.
std::vector<std::string_view> split(std::string_view text) {
    std::vector<std::string_view> parts;
    size_t begin = 0;
    bool quoted = false;
    for (size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '"') quoted = !quoted;
        if (text[i] != ';' || quoted) continue;
        parts.push_back(trimmed(text.substr(begin, i - begin)));
        begin = i + 1;
    }
    if (quoted) throw UsageError(fmt::format("a quote (\") has no partner in '{}'", printable(text)));
    parts.push_back(trimmed(text.substr(begin)));
    std::erase(parts, std::string_view());
    return parts;
}

struct Value {
    long double value = 0;
    Unit unit = Unit::kPlain;
    bool is_signed = false;
};

std::optional<Value> parse_value(std::string_view text) {
    Value out;
    bool negative = false;
    if (!text.empty() && (text[0] == '+' || text[0] == '-')) {
        out.is_signed = true;
        negative = text[0] == '-';
        text.remove_prefix(1);
    }
    // What from_chars takes beyond numbers (inf, nan) begins with no digit.
    if (text.empty() || text.find_first_of("0123456789.") != 0) return std::nullopt;
    double number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc()) return std::nullopt;
    const std::string_view name = trimmed(text.substr(static_cast<size_t>(end - text.data())));
    const auto suffix = std::ranges::find(kSuffixes, name, &Suffix::name);
    if (suffix == kSuffixes.end()) return std::nullopt;
    out.unit = suffix->unit;
    out.value = std::min(static_cast<long double>(number) * suffix->factor, kMostValue);
    if (out.unit == Unit::kTime) out.value = std::round(out.value);
    if (negative) out.value = -out.value;
    return out;
}

struct Split {
    std::string_view subject;
    Relation relation = Relation::kGreater;
    std::string_view value;
};

// At the last operator that stands in no quotes.
Split split_at_operator(std::string_view condition) {
    bool quoted = false;
    for (size_t i = condition.size(); i-- > 0;) {
        if (condition[i] == '"') quoted = !quoted;
        if (quoted) continue;
        for (const Operator& one : kOperators) {
            // ">=" is found at its ">" too, when one comes from behind.
            const size_t at = i >= 1 && (condition[i] == '=') ? i - 1 : i;
            if (condition.substr(at, one.sign.size()) != one.sign) continue;
            return {trimmed(condition.substr(0, at)), one.relation, trimmed(condition.substr(at + one.sign.size()))};
        }
    }
    reject(condition, "there is no comparison in it; write for example 'parse p99 > 2ms' or 'ncalls(lex) > 1e6'");
}

std::string unquoted(std::string_view word) {
    word = trimmed(word);
    if (word.size() >= 2 && word.front() == '"' && word.back() == '"') word = word.substr(1, word.size() - 2);
    return std::string(word);
}

const MetricName* find_metric(std::string_view name) {
    const auto found = std::ranges::find(kMetrics, name, &MetricName::name);
    return found == kMetrics.end() ? nullptr : &*found;
}

// "metric(function)", or nothing.
std::optional<std::pair<Metric, std::string>> as_call(std::string_view subject) {
    const size_t open = subject.find('(');
    if (open == std::string_view::npos || !subject.ends_with(')')) return std::nullopt;
    const MetricName* metric = find_metric(trimmed(subject.substr(0, open)));
    if (metric == nullptr) return std::nullopt;
    return std::pair(metric->metric, unquoted(subject.substr(open + 1, subject.size() - open - 2)));
}

// "function metric", or nothing.
std::optional<std::pair<Metric, std::string>> as_words(std::string_view subject) {
    const MetricName* longest = nullptr;
    for (const MetricName& metric : kMetrics) {
        if (!subject.ends_with(metric.name) || (longest != nullptr && longest->name.size() > metric.name.size())) continue;
        const size_t before = subject.size() - metric.name.size();
        const bool apart = before == 0 || kBlanks.find(subject[before - 1]) != std::string_view::npos || subject[before - 1] == '"';
        if (apart) longest = &metric;
    }
    if (longest == nullptr) return std::nullopt;
    return std::pair(longest->metric, unquoted(subject.substr(0, subject.size() - longest->name.size())));
}

std::string metric_names() {
    std::string names;
    for (size_t i = 0; i < kMetrics.size(); ++i) {
        const bool first = i == 0 || kMetrics[i].metric != kMetrics[i - 1].metric;
        if (first) names += fmt::format("{}{}", names.empty() ? "" : ", ", kMetrics[i].name);
    }
    return names;
}

// What stands where a metric should.
std::string unknown_metric(std::string_view subject) {
    const size_t open = subject.find('('), blank = subject.find_last_of(kBlanks);
    const std::string_view word = subject.ends_with(')') && open != std::string_view::npos ? trimmed(subject.substr(0, open))
                                  : blank != std::string_view::npos                        ? subject.substr(blank + 1)
                                                                                           : subject;
    std::vector<std::string> names;
    for (const MetricName& metric : kMetrics) names.emplace_back(metric.name);
    const std::vector<std::string> near = nearest(word, names, 1);
    return fmt::format("'{}' is no metric{}; metrics are: {}", printable(word), near.empty() ? "" : ", did you mean " + near.front() + "?",
                       metric_names());
}

void check_unit(const Condition& condition) {
    const bool count = counts(condition.metric);
    if (condition.unit == Unit::kTime && count)
        reject(condition.text, fmt::format("{} is a number of calls, not a time", name_of(condition.metric)));
    if (condition.unit == Unit::kPlain && !count && condition.value != 0)
        reject(condition.text, fmt::format("{} is a time: write ns, us, ms or s behind the number", name_of(condition.metric)));
}

Condition parse_condition(std::string_view text) {
    const Split parts = split_at_operator(text);
    const std::optional<Value> value = parse_value(parts.value);
    if (!value)
        reject(text, fmt::format("'{}' is no value; write a number, with ns, us, ms, s, %, k, M or G behind it where that is meant", printable(parts.value)));
    std::optional<std::pair<Metric, std::string>> subject = as_call(parts.subject);
    if (!subject) subject = as_words(parts.subject);
    if (!subject) reject(text, unknown_metric(parts.subject));
    Condition condition{std::string(text), subject->first, std::move(subject->second), parts.relation, value->value, value->unit, value->is_signed};
    if (condition.function.empty() != has_no_function(condition.metric))
        reject(text, condition.function.empty() ? fmt::format("{} of which function? Write {}(FUNCTION)", name_of(condition.metric), name_of(condition.metric))
                                                : fmt::format("{} is of the whole profile, not of a function", name_of(condition.metric)));
    check_unit(condition);
    return condition;
}

}  // namespace

bool counts(Metric metric) {
    return metric == Metric::kCalls || metric == Metric::kPrimitiveCalls || metric == Metric::kTotalCalls;
}

bool has_no_function(Metric metric) { return metric == Metric::kTotal || metric == Metric::kTotalCalls; }

std::string_view name_of(Metric metric) { return std::ranges::find(kMetrics, metric, &MetricName::metric)->name; }

std::vector<Condition> parse_conditions(std::string_view text) {
    std::vector<Condition> out;
    for (const std::string_view part : split(text)) out.push_back(parse_condition(part));
    if (out.empty()) throw UsageError("there is no condition; write for example 'parse p99 > 2ms; ncalls(lex) > 1e6'");
    return out;
}

bool holds(Relation relation, long double figure, long double value) {
    switch (relation) {
        case Relation::kGreater:
            return figure > value;
        case Relation::kGreaterOrEqual:
            return figure >= value;
        case Relation::kLess:
            return figure < value;
        case Relation::kLessOrEqual:
            return figure <= value;
        case Relation::kEqual:
            return figure == value;
        case Relation::kUnequal:
            return figure != value;
    }
    return false;
}

}  // namespace fnprof::report
