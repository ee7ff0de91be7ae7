// What a build may not do, as its owner writes it:
//
//   conditions = condition { ";" condition }        an empty one says nothing
//   condition  = subject operator value
//   subject    = metric "(" function ")" | function metric | "total" | "total_calls"
//   operator   = ">" | ">=" | "<" | "<=" | "==" | "!="
//   value      = [ "+" | "-" ] number [ unit ]      ns us ms s of times; k M G of counts; % of what stands in the documentation
//
// A function is written as reports write it, blanks and parentheses included; between double quotes it may hold operators and semicolons
// too. Nothing nests, so the parser is a loop: it reads a condition from its end, where the operator and the value are.
#pragma once

#include "model/profile.h"
#include "report/order.h"
#include "report/text.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fnprof::report {

enum class Metric {
    kCalls,
    kPrimitiveCalls,
    kSelf,
    kCumulative,
    kSelfPerCall,
    kCumulativePerCall,
    kMean,
    kLeast,
    kP50,
    kP90,
    kP99,
    kP999,
    kMost,
    kDeviation,
    kFirst,
    kTotal,
    kTotalCalls,
};

bool counts(Metric metric);            // its figure is a number, not a time
bool has_no_function(Metric metric);   // it is of the whole profile
std::string_view name_of(Metric metric);

enum class Relation { kGreater, kGreaterOrEqual, kLess, kLessOrEqual, kEqual, kUnequal };

enum class Unit { kPlain, kTime, kPercent };

struct Condition {
    std::string text;      // as written, without the blanks around it
    Metric metric = Metric::kCalls;
    std::string function;  // empty: of the whole profile
    Relation relation = Relation::kGreater;
    long double value = 0;  // kTime: picoseconds, a whole number
    Unit unit = Unit::kPlain;
    bool is_signed = false;
};

// What a profile or a comparison says of a condition.
struct JudgedCondition {
    Condition condition;
    std::optional<model::FunctionId> function;
    std::optional<long double> figure;  // in the condition's unit, times in picoseconds; nothing: there is none
    std::string figure_text;
    bool holds = false;
    std::string remark;  // why it does not hold, or is not sure; empty: nothing to say
};

// Throws UsageError: what is wrong in which condition, and what would be right. At least one.
std::vector<Condition> parse_conditions(std::string_view text);

bool holds(Relation relation, long double figure, long double value);

}  // namespace fnprof::report
