// pstats' restrictions: which rows of a sorted table are printed.
#pragma once

#include "model/profile.h"
#include "report/names.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace fnprof::report {

struct FirstRows {
    uint64_t count;
};
struct FirstShare {
    double share;
};  // 0..1
struct Matching {
    std::string pattern;
};
using Restriction = std::variant<FirstRows, FirstShare, Matching>;

// A number, or nothing if the word is none. Throws UsageError for a fraction that is not between 0 and 1.
std::optional<Restriction> parse_amount(std::string_view word);

// Throws UsageError if `pattern` is no regular expression.
Restriction parse_pattern(std::string_view pattern);

// As Python prints it in pstats' messages: 20, 0.1, 'regex'.
std::string describe(const Restriction& restriction);

// How many of `count` rows a number of rows or a share of them keeps.
size_t first_rows(const Restriction& amount, size_t count);

struct Selection {
    std::vector<model::FunctionId> shown;
    std::vector<model::FunctionId> hidden;
    std::vector<std::string> messages;  // "List reduced from 512 to 30 due to restriction <30>"
    std::string unmatched;              // the pattern that left nothing of what there was; empty: none did
    size_t searched = 0;                // rows that it was searched in
    size_t matching_elsewhere = 0;      // rows that an earlier restriction had hidden and that it matches
};

// Applied from the left to the right; patterns are searched in the uncut label.
Selection select(std::vector<model::FunctionId> rows, const std::vector<Restriction>& restrictions, const Names& names,
                 const PathStyle& style);

}  // namespace fnprof::report
