// The order of a table's rows: pstats' sort keys, their unique prefixes, several as tie-breakers. Rows are functions, or the edges
// between them.
#pragma once

#include "model/profile.h"
#include "report/figures.h"
#include "report/names.h"

#include <span>
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

enum class Field { kCalls, kPrimitiveCalls, kCumulative, kSelf, kSelfPerCall, kCumulativePerCall, kFile, kLine, kName, kLabel };

struct Order {
    std::vector<Field> fields;  // most significant first; empty: none was asked for
    std::string description;    // pstats' words: "cumulative time, call count"
    bool reversed = false;
};

// `keys` is a comma-separated list of pstats' key names, of percall_tottime and percall_cumtime, or of unique prefixes of them. A prefix that
// is pstats' is pstats': `p` stays pcalls.
Order parse_order(std::string_view keys);

struct SortKey {
    std::string_view name;
    std::string_view description;
};
std::vector<SortKey> sort_keys();

// "calls, cumtime, cumulative, ...": for help and messages.
std::string sort_key_names();

// What a row is sorted by: the figures of a function, or those of an edge and the function at its far end.
struct SortRow {
    model::FunctionId function = model::kNone;  // kNone: the world outside; before all names
    uint64_t ncalls = 0;
    uint64_t primitive_calls = 0;
    model::Cost cost = {};
};

// The rows' positions in that order; ties go by position, so the order is the same in every run.
std::vector<uint32_t> sorted_rows(std::span<const SortRow> rows, const Names& names, const Figures& figures, const PathStyle& style,
                                  const Order& order);

// All functions in that order, those that a selection has left nothing of left out; ties go by FunctionId.
std::vector<model::FunctionId> sorted(const model::Profile& profile, const Names& names, const Figures& figures,
                                      const PathStyle& style, const Order& order);

}  // namespace fnprof::report
