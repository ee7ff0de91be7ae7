#include "report/order.h"

#include "report/text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <compare>
#include <numeric>

namespace fnprof::report {
namespace {

struct Key {
    std::string_view name;
    std::string_view description;
    std::array<Field, 3> fields;
    size_t field_count;
};

constexpr std::array<Key, 13> kKeys{{
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
}};

// A prefix is unique when all keys that it fits mean the same.
const Key& find_key(std::string_view word) {
    std::vector<const Key*> fitting;
    for (const Key& key : kKeys) {
        if (key.name == word) return key;
        if (!word.empty() && key.name.starts_with(word)) fitting.push_back(&key);
    }
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

struct Row {
    model::FunctionId id;
    std::string label;  // filled only when it is sorted by
};

}  // namespace

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

std::vector<model::FunctionId> sorted(const model::Profile& profile, const Names& names, const Figures& figures,
                                      const PathStyle& style, const Order& order) {
    const bool by_label = std::ranges::find(order.fields, Field::kLabel) != order.fields.end();
    std::vector<Row> rows(profile.functions.size());
    for (model::FunctionId id = 0; id < rows.size(); ++id)
        rows[id] = {id, by_label ? names.label(id, style) : std::string()};

    // Numbers fall, names and lines rise: as in pstats.
    const auto compare = [&](const Row& left, const Row& right, Field field) -> std::strong_ordering {
        const model::FunctionStats& a = profile.stats[left.id];
        const model::FunctionStats& b = profile.stats[right.id];
        switch (field) {
            case Field::kCalls:
                return b.ncalls <=> a.ncalls;
            case Field::kPrimitiveCalls:
                return b.primitive_calls <=> a.primitive_calls;
            case Field::kCumulative:
                return figures.cumulative(b.cost).ps <=> figures.cumulative(a.cost).ps;
            case Field::kSelf:
                return figures.self(b.cost).ps <=> figures.self(a.cost).ps;
            case Field::kFile:
                return names[left.id].file <=> names[right.id].file;
            case Field::kLine:
                return names[left.id].line <=> names[right.id].line;
            case Field::kName:
                return names[left.id].name <=> names[right.id].name;
            case Field::kLabel:
                return left.label <=> right.label;
        }
        return std::strong_ordering::equal;
    };
    std::ranges::sort(rows, [&](const Row& left, const Row& right) {
        for (const Field field : order.fields) {
            const std::strong_ordering result = compare(left, right, field);
            if (result != 0) return order.reversed ? result > 0 : result < 0;
        }
        return left.id < right.id;
    });
    std::vector<model::FunctionId> out;
    out.reserve(rows.size());
    for (const Row& row : rows) out.push_back(row.id);
    return out;
}

}  // namespace fnprof::report
