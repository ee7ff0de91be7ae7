// The one function that a user means by a name, in places where a wrong guess would pass unnoticed.
#pragma once

#include "report/names.h"

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace fnprof::report {

// Functions that may be missing from the trace, by the words that conditions call them.
using Absent = std::span<const std::string>;

// `word` is a name as reports print it, a mangled name, or the end of a name without its parameters: "parse", "text::parse", "parse(int)",
// "parse.cpp:12(parse(int))". What fits most exactly is taken, and it has to be one function: throws UsageError with the nearest names if none
// fits and with all of them if several do. Nothing: none fits and the word is among `absent`.
std::optional<model::FunctionId> find_function(const Names& names, const PathStyle& style, std::string_view word, Absent absent);

}  // namespace fnprof::report
