// What the words of a command line that are no options mean: traces, restrictions, patterns.
#pragma once

#include "report/restriction.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace fnprof::cli {

struct Words {
    std::vector<std::string> traces;  // never empty: ./trace.zst where none is named
    std::vector<report::Restriction> restrictions;
    std::vector<std::string> directories;  // those among the patterns: perhaps the traces in them were meant
    bool trace_named = false;
    bool all = false;  // the word "all": show everything
};

// A number is always a restriction. "-", an existing file and anything that ends in .zst is a trace, anything else a
// pattern. Throws UsageError for a pattern that is no regular expression.
Words classify(const std::vector<std::string>& words);

// The same where no word can be a trace.
Words classify_restrictions(const std::vector<std::string>& words);

// What stands before and behind the first "--". Nothing: there is none.
std::optional<std::pair<std::vector<std::string>, std::vector<std::string>>> split_at_dashes(const std::vector<std::string>& arguments);

}  // namespace fnprof::cli
