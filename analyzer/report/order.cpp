#include "report/order.h"

#include "report/text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <compare>
#include <cstdint>
#include <numeric>
#include <span>

namespace fnprof::report {
namespace {

struct Key {
    std::string_view name;
    std::string_view description;
    std::array<Field, 3> fields;
    size_t field_count;
};

constexpr std::array<Key, 15> kKeys{{
    {"calls", "call count", {Field::kCalls}, 1},
    {"cumtime", "cumulative time", {Field::kCumulative}, 1},
    {"cumulative", "cumulative time", {Field::kCumulative}, 1},
    {"filename", "file name", {Field::kFile}, 1},
    {"line", "line number", {Field::kLine}, 1},
    {"module", "file name", {Field::kFile}, 1},
    {"name", "function name", {Field::kName}, 1},
    {"ncalls", "call count", {Field::kCalls}, 1},
    {"nfl", "name/file/line", {Field::kName, Field::kFile, Field::kLine}, 3},
    {"pcalls", "primitive call count", {Field::kPrimitiveCalls}, 1},
    {"stdname", "standard name", {Field::kLabel}, 1},
    {"time", "internal time", {Field::kSelf}, 1},
    {"tottime", "internal time", {Field::kSelf}, 1},
    // Not pstats': the names of the two columns in its get_stats_profile().
    {"percall_tottime", "internal time per call", {Field::kSelfPerCall}, 1},
    {"percall_cumtime", "cumulative time per primitive call", {Field::kCumulativePerCall}, 1},
}};
constexpr size_t kPstatsKeys = 13;

std::vector<const Key*> keys_with_prefix(std::string_view word, std::span<const Key> among) {
    std::vector<const Key*> fitting;
    for (const Key& key : among)
        if (!word.empty() && key.name.starts_with(word)) fitting.push_back(&key);
    return fitting;
}

// A prefix is unique when all keys that it fits mean the same. Where it fits a key of pstats' it is a prefix of pstats'.
const Key& find_key(std::string_view word) {
    const auto exact = std::ranges::find(kKeys, word, &Key::name);
    if (exact != kKeys.end()) return *exact;
    const std::span<const Key> keys(kKeys);
    std::vector<const Key*> fitting = keys_with_prefix(word, keys.first(kPstatsKeys));
    if (fitting.empty()) fitting = keys_with_prefix(word, keys.subspan(kPstatsKeys));
    if (fitting.empty())
        throw UsageError(fmt::format("'{}' is no sort key; sort keys are: {}", printable(word), sort_key_names()));
    for (const Key* key : fitting) {
        if (key->description == fitting.front()->description) continue;
        std::vector<std::string_view> names;
        for (const Key* candidate : fitting) names.push_back(candidate->name);
        throw UsageError(
            fmt::format("sort key '{}' is ambiguous; it could be {}", printable(word), fmt::join(names, " or ")));
    }
    return *fitting.front();
}

// A row with what comparing needs at hand.
struct Row {
    const SortRow* row;
    const Name* name;
    Amount self;
    Amount cumulative;
    std::string label;  // filled only when it is sorted by
};

// Rows without calls come last.
Picoseconds per_call(Amount amount, uint64_t calls) {
    constexpr Picoseconds kLeast = -(Picoseconds{1} << 120);
    return calls == 0 ? kLeast : Figures::per_call(amount, calls).ps;
}

std::strong_ordering compare(const Row& a, const Row& b, Field field, const PathStyle& style) {
    // Numbers fall, names and lines rise: as in pstats.
    switch (field) {
        case Field::kCalls:
            return b.row->ncalls <=> a.row->ncalls;
        case Field::kPrimitiveCalls:
            return b.row->primitive_calls <=> a.row->primitive_calls;
        case Field::kCumulative:
            return b.cumulative.ps <=> a.cumulative.ps;
        case Field::kSelf:
            return b.self.ps <=> a.self.ps;
        case Field::kSelfPerCall:
            return per_call(b.self, b.row->ncalls) <=> per_call(a.self, a.row->ncalls);
        case Field::kCumulativePerCall:
            return per_call(b.cumulative, b.row->primitive_calls) <=> per_call(a.cumulative, a.row->primitive_calls);
        case Field::kFile:
            return sort_path(a.name->file, style) <=> sort_path(b.name->file, style);
        case Field::kLine:
            return a.name->line <=> b.name->line;
        case Field::kName:
            return a.name->name <=> b.name->name;
        case Field::kLabel:
            return a.label <=> b.label;
    }
    return std::strong_ordering::equal;
}

}  // namespace

std::vector<SortKey> sort_keys() {
    std::vector<SortKey> out;
    for (const Key& key : kKeys) out.push_back({key.name, key.description});
    return out;
}

std::string sort_key_names() {
    std::string out;
    for (const Key& key : kKeys) out += fmt::format("{}{}", out.empty() ? "" : ", ", key.name);
    return out;
}

Order parse_order(std::string_view keys) {
    Order order;
    while (true) {
        const size_t comma = keys.find(',');
        const Key& key = find_key(keys.substr(0, comma));
        order.fields.insert(order.fields.end(), key.fields.begin(), key.fields.begin() + key.field_count);
        order.description += fmt::format("{}{}", order.description.empty() ? "" : ", ", key.description);
        if (comma == std::string_view::npos) return order;
        keys.remove_prefix(comma + 1);
    }
}

std::vector<uint32_t> sorted_rows(std::span<const SortRow> rows, const Names& names, const Figures& figures, const PathStyle& style,
                                  const Order& order) {
    static const Name kOutside;
    const bool by_label = std::ranges::find(order.fields, Field::kLabel) != order.fields.end();
    std::vector<Row> prepared;
    prepared.reserve(rows.size());
    for (const SortRow& row : rows) {
        const bool outside = row.function == model::kNone;
        prepared.push_back({&row, outside ? &kOutside : &names[row.function], figures.self(row.cost), figures.cumulative(row.cost),
                            by_label && !outside ? names.label(row.function, style) : std::string()});
    }
    std::vector<uint32_t> positions(rows.size());
    std::iota(positions.begin(), positions.end(), 0U);
    std::ranges::sort(positions, [&](uint32_t left, uint32_t right) {
        for (const Field field : order.fields) {
            const std::strong_ordering result = compare(prepared[left], prepared[right], field, style);
            if (result != 0) return order.reversed ? result > 0 : result < 0;
        }
        return left < right;
    });
    return positions;
}

std::vector<model::FunctionId> sorted(const model::Profile& profile, const Names& names, const Figures& figures,
                                      const PathStyle& style, const Order& order) {
    // What a selection has left nothing of is no row.
    std::vector<bool> left(profile.functions.size(), profile.reductions.empty());
    for (const model::CallPath& path : profile.paths) left[path.function] = true;
    std::vector<SortRow> rows;
    rows.reserve(profile.functions.size());
    for (model::FunctionId id = 0; id < profile.functions.size(); ++id)
        if (left[id]) rows.push_back({id, profile.stats[id].ncalls, profile.stats[id].primitive_calls, profile.stats[id].cost});
    std::vector<model::FunctionId> functions;
    for (const uint32_t position : sorted_rows(rows, names, figures, style, order)) functions.push_back(rows[position].function);
    return functions;
}

}  // namespace fnprof::report
