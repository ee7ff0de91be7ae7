// "Did you mean": the words that a mistyped one may have been.
#pragma once

#include "report/names.h"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fnprof::report {

// Letters to insert, drop, change or exchange with their neighbour to get from one word to the other, capitals counting as small letters;
// anything above `most` is reported as `most` + 1.
size_t edit_distance(std::string_view a, std::string_view b, size_t most);

// Those of `candidates` that differ from `word` in at most a third of its letters, the nearest first, at most `count` of them.
std::vector<std::string> nearest(std::string_view word, std::span<const std::string> candidates, size_t count = 3);

// What a user types to name a function: its name alone, and with its scopes. Sorted, each once; names that no one can type as one word
// (operators, lambdas) are not among them.
std::vector<std::string> function_words(const Names& names);

// "parse_row, parse_line or parse": for messages.
std::string alternatives(std::span<const std::string> words);

}  // namespace fnprof::report
