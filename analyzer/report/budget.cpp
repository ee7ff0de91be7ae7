#include "report/budget.h"

#include "report/markdown.h"
#include "report/metric_figure.h"
#include "report/text.h"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <array>
#include <ostream>

namespace fnprof::report {
namespace {

constexpr std::string_view kNotCalled = "not called";
constexpr std::string_view kNoneEnded = "no call of it has ended";

void check(const Condition& condition) {
    const auto reject = [&](std::string_view why) { throw UsageError(fmt::format("condition '{}': {}", printable(condition.text), why)); };
    if (condition.is_signed) reject("a value with a sign is a change; changes are what diff --fail-on looks at");
    if (condition.unit == Unit::kPercent && condition.metric != Metric::kSelf && condition.metric != Metric::kCumulative)
        reject("only tottime and cumtime have a share of the total");
}

JudgedCondition judge(const Page& page, const Condition& condition, Absent absent) {
    JudgedCondition judged{condition, std::nullopt, std::nullopt, "-", false, ""};
    if (!condition.function.empty()) judged.function = find_function(page.names, page.paths, condition.function, absent);
    const std::optional<MetricFigure> figure = figure_of(page.profile, page.figures, judged.function, condition.metric);
    if (!condition.function.empty() && !judged.function) judged.remark = kNotCalled;
    if (!figure) {
        if (judged.remark.empty()) judged.remark = kNoneEnded;
        return judged;
    }
    judged.figure = figure->value;
    judged.figure_text = figure_text(condition.metric, *figure);
    if (condition.unit == Unit::kPercent) {
        const auto total = static_cast<long double>(page.figures.total_ps());
        judged.figure = total > 0 ? 100 * figure->value / total : 0;
        judged.figure_text += fmt::format(" ({:.1f}%)", *judged.figure);
    } else if (!counts(condition.metric)) {
        const auto resolution = static_cast<long double>(figure->resolution_ps);
        if (figure->value < resolution && condition.value < resolution) {
            judged.remark = "too short to be measured";
            return judged;
        }
    }
    judged.holds = holds(condition.relation, *judged.figure, condition.value);
    return judged;
}

std::vector<std::string> cells_of(const JudgedCondition& judged) {
    return {judged.holds ? "FAIL" : "ok", printable(judged.condition.text), judged.figure_text, judged.remark};
}

}  // namespace

std::vector<JudgedCondition> judge_budget(const Page& page, std::span<const Condition> conditions, Absent absent) {
    check_absent(conditions, absent);
    std::vector<JudgedCondition> out;
    for (const Condition& condition : conditions) {
        check(condition);
        out.push_back(judge(page, condition, absent));
    }
    return out;
}

void check_absent(std::span<const Condition> conditions, Absent absent) {
    for (const std::string& word : absent)
        if (std::ranges::find(conditions, word, &Condition::function) == conditions.end())
            throw UsageError(fmt::format("--absent {}: no condition is about a function of that name", printable(word)));
}

bool any_holds(std::span<const JudgedCondition> conditions) { return std::ranges::any_of(conditions, &JudgedCondition::holds); }

std::string conditions_verdict(std::span<const JudgedCondition> conditions) {
    const auto holding = std::ranges::count_if(conditions, &JudgedCondition::holds);
    if (conditions.size() == 1) return holding == 0 ? "Passed: the condition does not hold" : "Failed: the condition holds";
    if (holding == 0) return fmt::format("Passed: none of the {} conditions holds", conditions.size());
    return fmt::format("Failed: {} of {} conditions {}", holding, conditions.size(), holding == 1 ? "holds" : "hold");
}

void print_conditions(std::ostream& out, const Page& page, std::span<const JudgedCondition> conditions) {
    if (conditions.empty()) return;
    std::array<size_t, 3> widths{4, 9, 0};
    for (const JudgedCondition& judged : conditions) {
        const std::vector<std::string> cells = cells_of(judged);
        for (size_t i = 0; i < widths.size(); ++i) widths[i] = std::max(widths[i], columns(cells[i]));
    }
    const auto padded = [&](const std::string& cell, size_t i) { return cell + std::string(widths[i] - columns(cell), ' '); };
    for (const JudgedCondition& judged : conditions) {
        const std::vector<std::string> cells = cells_of(judged);
        std::string line = fmt::format("  {}  {}", padded(cells[1], 1), padded(cells[2], 2));
        if (!judged.remark.empty()) line += "  " + judged.remark;
        line.resize(line.find_last_not_of(' ') + 1);
        fmt::print(out, "{}{}\n", judged.holds ? inked(page, Ink::kHot, padded(cells[0], 0)) : padded(cells[0], 0), line);
    }
    fmt::print(out, "\n");
}

void print_conditions_markdown(std::ostream& out, std::span<const JudgedCondition> conditions) {
    if (conditions.empty()) return;
    MarkdownTable table({"", "condition", "figure", ""}, {Align::kLeft, Align::kLeft, Align::kRight, Align::kLeft});
    for (const JudgedCondition& judged : conditions)
        table.add({judged.holds ? "**FAIL**" : "ok", markdown_code(judged.condition.text), markdown_text(judged.figure_text), markdown_text(judged.remark)});
    table.print(out);
    fmt::print(out, "\n");
}

void print_budget(std::ostream& out, const Page& page, std::span<const JudgedCondition> conditions) {
    fmt::print(out, "{}\n\n", inked(page, Ink::kTitle, conditions_verdict(conditions)));
    print_conditions(out, page, conditions);
    print_heading(out, page);
}

void print_budget_markdown(std::ostream& out, const Page& page, std::span<const JudgedCondition> conditions) {
    fmt::print(out, "**{}**\n\n", markdown_text(conditions_verdict(conditions)));
    print_conditions_markdown(out, conditions);
    for (const std::string& line : integrity_lines(page.profile)) fmt::print(out, "> {}\n", markdown_text(line));
    for (const std::string& note : page.notes) fmt::print(out, "> {}\n", markdown_text(printable(note)));
}

}  // namespace fnprof::report
