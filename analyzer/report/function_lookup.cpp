#include "report/function_lookup.h"

#include "report/nearest.h"
#include "report/order.h"
#include "report/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace fnprof::report {
namespace {

constexpr size_t kMostListed = 5;

bool ends_in(std::string_view name, std::string_view word) {
    return name == word || (name.size() > word.size() + 2 && name.ends_with(word) && name.substr(name.size() - word.size() - 2, 2) == "::");
}

// How exactly the word names the function, 0 not at all.
int exactness(const Names& names, const PathStyle& style, model::FunctionId id, std::string_view word) {
    const Name& name = names[id];
    if (name.name == word || name.mangled == word || names.label(id, style) == word) return 4;
    PathStyle stripped = style;
    stripped.stripped = true;
    if (names.label(id, stripped) == word) return 4;
    if (qualified_name(name.name) == word) return 3;
    if (unqualified_name(name.name) == word) return 2;
    return ends_in(name.name, word) || ends_in(qualified_name(name.name), word) ? 1 : 0;
}

[[noreturn]] void reject_unknown(const Names& names, std::string_view word) {
    const std::vector<std::string> near = nearest(word, function_words(names));
    throw UsageError(fmt::format("no function {} is in the trace{}; if it is right that it is not called, say so with --absent '{}'", printable(word),
                                 near.empty() ? "" : ", did you mean " + alternatives(near) + "?", printable(word)));
}

[[noreturn]] void reject_several(const Names& names, const PathStyle& style, std::string_view word, const std::vector<model::FunctionId>& ids) {
    std::string list;
    for (size_t i = 0; i < std::min(kMostListed, ids.size()); ++i) list += "\n  " + names.label(ids[i], style);
    if (ids.size() > kMostListed) list += fmt::format("\n  and {} more", ids.size() - kMostListed);
    throw UsageError(fmt::format("{} functions are called {}; write one of them as it stands here, between double quotes:{}", ids.size(), printable(word), list));
}

}  // namespace

std::optional<model::FunctionId> find_function(const Names& names, const PathStyle& style, std::string_view word, Absent absent) {
    std::vector<model::FunctionId> best;
    int best_exactness = 1;
    for (model::FunctionId id = 0; id < names.size(); ++id) {
        const int found = exactness(names, style, id, word);
        if (found < best_exactness) continue;
        if (found > best_exactness) best.clear();
        best_exactness = found;
        best.push_back(id);
    }
    if (best.size() == 1) return best.front();
    if (best.size() > 1) reject_several(names, style, word, best);
    if (std::ranges::find(absent, word) == absent.end()) reject_unknown(names, word);
    return std::nullopt;
}

}  // namespace fnprof::report
