// Conditions judged by a profile or by a comparison: `check-budget` and `diff --fail-on`.
#pragma once

#include "report/condition.h"
#include "report/diff.h"
#include "report/function_lookup.h"
#include "report/page.h"

#include <iosfwd>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fnprof::report {

// Throws UsageError for conditions on changes, and as find_function() does.
std::vector<JudgedCondition> judge_budget(const Page& page, std::span<const Condition> conditions, Absent absent);

// Throws UsageError for conditions that are not on changes, and as find_function() does. A change that is within its 95 % interval does not
// hold; one that has none counts as it is.
std::vector<JudgedCondition> judge_changes(const DiffPage& diff, std::span<const Condition> conditions, Absent absent);

// Throws UsageError: a word of `absent` that no condition is about.
void check_absent(std::span<const Condition> conditions, Absent absent);

bool any_holds(std::span<const JudgedCondition> conditions);

// "Failed: 1 of 2 conditions holds".
std::string conditions_verdict(std::span<const JudgedCondition> conditions);
// Without conditions nothing.
void print_conditions(std::ostream& out, const Page& page, std::span<const JudgedCondition> conditions);
void print_conditions_markdown(std::ostream& out, std::span<const JudgedCondition> conditions);

void print_budget(std::ostream& out, const Page& page, std::span<const JudgedCondition> conditions);
void print_budget_markdown(std::ostream& out, const Page& page, std::span<const JudgedCondition> conditions);
void print_budget_json(std::ostream& out, const Page& page, std::span<const JudgedCondition> conditions);

}  // namespace fnprof::report
