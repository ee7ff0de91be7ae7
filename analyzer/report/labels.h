// The names in a table's rows: cut to the room they have, and no two functions' alike. Where cutting makes them alike (the overloads of
// one line, two instances of one template), or they are alike uncut (static functions of one name without debug information), what tells them apart
// stands behind them in brackets: the part of the name or path that differs, else the module, the address in the module, the id.
//   parse.cpp:120(...::parse<...>(...)) [map]
#pragma once

#include "report/names.h"

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace fnprof::report {

enum class LabelForm {
    kPlaceFirst,     // file:line(function)
    kFunctionFirst,  // function  file:line
};

struct LabelRow {
    model::FunctionId id = model::kNone;  // kNone: the world outside
    size_t room = 0;                      // columns; 0: nothing is cut
};

// One label a row, in the rows' order.
std::vector<std::string> distinct_labels(const Names& names, const PathStyle& style, std::span<const LabelRow> rows, LabelForm form);

}  // namespace fnprof::report
