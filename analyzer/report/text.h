// Text that is fit to print: numbers with units, names without control characters, and names cut to a width without
// losing the function. Pure functions; nothing here knows about profiles.
#pragma once

#include "model/picoseconds.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fnprof::report {

using model::Picoseconds;

// Four significant digits and the unit that fits: "999.9ns", "12.34us", "325.7s". Negative values keep their sign.
std::string format_time(Picoseconds picoseconds);

// The same without zeros at the end: "10ns". For figures that are known exactly.
std::string format_exact_time(Picoseconds picoseconds);

// As format_time, but "<resolution" where the value is below what can be vouched for.
std::string format_time(Picoseconds picoseconds, uint64_t resolution_ps);

// "12.3", without a percent sign; "" when the whole is not positive.
std::string format_percent(Picoseconds part, Picoseconds whole);

// Bytes that a terminal may see: valid UTF-8 as it is, invalid bytes as U+FFFD, control characters as \xNN.
std::string printable(std::string_view text);

// Valid UTF-8 (invalid bytes become U+FFFD), control characters untouched: for JSON, which escapes them itself.
std::string valid_utf8(std::string_view text);

// "0a1b": bytes as they stand.
std::string hexadecimal(std::span<const uint8_t> bytes);

// Columns that a printable text takes on a terminal.
size_t columns(std::string_view text);

// Shortens a demangled name to `width` columns where that is possible without losing the function: parameters first, then
// the return type, template arguments and leading scopes. The unqualified name always stays, so the result may be wider.
std::string cut_name(std::string_view name, size_t width);

// Of a demangled name the scopes and the function, without return type, template arguments and parameters: "text::parse".
std::string qualified_name(std::string_view name);

// The scopes around the function, the outermost first, as far as each may be a namespace: not from the first on that has template arguments, is
// a function, or has no name of its own (a lambda).
std::vector<std::string> surrounding_scopes(std::string_view name);

// The function alone: "parse".
std::string unqualified_name(std::string_view name);

}  // namespace fnprof::report
