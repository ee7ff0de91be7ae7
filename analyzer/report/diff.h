// What changed from one set of runs to another, and what explains it: the report of `diff`. The figures are compare/change.h's.
#pragma once

#include "compare/change.h"
#include "report/condition.h"
#include "report/order.h"
#include "report/page.h"
#include "report/renames.h"
#include "report/restriction.h"

#include <array>
#include <iosfwd>
#include <span>
#include <string>
#include <vector>

namespace fnprof::report {

struct DiffPage {
    const compare::Comparison& comparison;
    const Page& page;                    // its names are by the comparison's ids, its profile is B's
    std::array<Figures, 2> figures;      // of the sums over A's and over B's runs
    std::vector<Renaming> renamed;
    std::vector<JudgedCondition> conditions;  // of --fail-on
};

struct DiffOptions {
    Order order;  // without fields: by what each explains
    std::vector<Restriction> restrictions;
};

void print_diff(std::ostream& out, const DiffPage& diff, const DiffOptions& options);
void print_diff_markdown(std::ostream& out, const DiffPage& diff, const DiffOptions& options);
void print_diff_json(std::ostream& out, const DiffPage& diff);

// What the columns mean, and what the intervals are made from; a sentence each.
std::vector<std::string> definitions(const DiffPage& diff);

// "B takes 312.0ms less than A (-41.0%): load_data explains 96.0% of it (calls 100 -> 1)".
std::string verdict(const DiffPage& diff);

// All functions, those first that explain most; or by how much a figure changed, or by name.
std::vector<model::FunctionId> sorted_changes(const DiffPage& diff, const Order& order);

}  // namespace fnprof::report
