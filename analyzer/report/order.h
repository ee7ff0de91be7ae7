// The order of a table's rows: pstats' sort keys, their unique prefixes, several as tie-breakers.
#pragma once

#include "model/profile.h"
#include "report/figures.h"
#include "report/names.h"

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace fnprof::report {

// The user's words make no sense: exit code 2.
class UsageError : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

enum class Field { kCalls, kPrimitiveCalls, kCumulative, kSelf, kFile, kLine, kName, kLabel };

struct Order {
    std::vector<Field> fields;  // most significant first
    std::string description;    // pstats' words: "cumulative time, call count"
    bool reversed = false;
};

// `keys` is a comma-separated list of pstats' key names or unique prefixes of them.
Order parse_order(std::string_view keys);

// "calls, cumtime, cumulative, ...": for help and messages.
std::string sort_key_names();

// All functions in that order; ties go by FunctionId, so the order is the same in every run.
std::vector<model::FunctionId> sorted(const model::Profile& profile, const Names& names, const Figures& figures,
                                      const PathStyle& style, const Order& order);

}  // namespace fnprof::report
