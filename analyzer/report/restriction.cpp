#include "report/restriction.h"

#include "report/order.h"
#include "report/text.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace fnprof::report {
namespace {

constexpr std::string_view kDigits = "0123456789";

RE2::Options quiet() {
    RE2::Options options;
    options.set_log_errors(false);
    return options;
}

// Moves the rows that go to `selection.hidden`, keeps the order of those that stay.
void apply(const Restriction& restriction, Selection& selection, const Names& names, const PathStyle& style) {
    std::vector<model::FunctionId>& rows = selection.shown;
    auto end = rows.end();
    if (const auto* matching = std::get_if<Matching>(&restriction)) {
        const RE2 expression(matching->pattern, quiet());
        const auto matches = [&](model::FunctionId id) { return RE2::PartialMatch(names.label(id, style), expression); };
        end = std::stable_partition(rows.begin(), rows.end(), matches);
        if (end == rows.begin() && !rows.empty()) {
            selection.unmatched = matching->pattern;
            selection.searched = rows.size();
            selection.matching_elsewhere = static_cast<size_t>(std::ranges::count_if(selection.hidden, matches));
        }
    } else {
        end = rows.begin() + static_cast<std::ptrdiff_t>(first_rows(restriction, rows.size()));
    }
    selection.hidden.insert(selection.hidden.end(), end, rows.end());
    rows.erase(end, rows.end());
}

}  // namespace

std::string describe(const Restriction& restriction) {
    if (const auto* rows = std::get_if<FirstRows>(&restriction)) return fmt::format("{}", rows->count);
    if (const auto* share = std::get_if<FirstShare>(&restriction)) {
        const std::string text = fmt::format("{}", share->share);
        return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
    }
    const std::string text = printable(std::get<Matching>(restriction).pattern);
    const char quote = text.find('\'') == std::string::npos ? '\'' : '"';
    return fmt::format("{}{}{}", quote, text, quote);
}

size_t first_rows(const Restriction& amount, size_t count) {
    if (const auto* rows = std::get_if<FirstRows>(&amount)) return std::min<size_t>(rows->count, count);
    return static_cast<size_t>(std::floor(static_cast<double>(count) * std::get<FirstShare>(amount).share + 0.5));
}

std::optional<Restriction> parse_amount(std::string_view word) {
    if (word.empty() || word.find_first_not_of("0123456789.") != std::string_view::npos) return std::nullopt;
    if (word.find_first_of(kDigits) == std::string_view::npos || std::ranges::count(word, '.') > 1) return std::nullopt;
    if (word.find('.') == std::string_view::npos) {
        uint64_t count = 0;
        const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), count);
        if (error != std::errc() || end != word.data() + word.size())
            throw UsageError(fmt::format("restriction {} is too large a number of rows", word));
        return FirstRows{count};
    }
    double share = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), share);
    if (error != std::errc() || end != word.data() + word.size() || share > 1)
        throw UsageError(fmt::format(
            "restriction {} is no share of the rows: write a fraction from 0.0 to 1.0, or a whole number of rows", word));
    return FirstShare{share};
}

Restriction parse_pattern(std::string_view pattern) {
    const RE2 expression(pattern, quiet());
    if (!expression.ok())
        throw UsageError(fmt::format("'{}' is neither an existing trace nor a regular expression: {}", printable(pattern),
                                     expression.error()));
    return Matching{std::string(pattern)};
}

Selection select(std::vector<model::FunctionId> rows, const std::vector<Restriction>& restrictions, const Names& names,
                 const PathStyle& style) {
    Selection selection;
    selection.shown = std::move(rows);
    for (const Restriction& restriction : restrictions) {
        const size_t before = selection.shown.size();
        apply(restriction, selection, names, style);
        if (selection.shown.size() != before)
            selection.messages.push_back(fmt::format("List reduced from {} to {} due to restriction <{}>", before,
                                                     selection.shown.size(), describe(restriction)));
    }
    return selection;
}

}  // namespace fnprof::report
