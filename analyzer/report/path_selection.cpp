#include "report/path_selection.h"

#include "model/select_paths.h"
#include "report/grouping.h"
#include "report/nearest.h"
#include "report/restriction.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

namespace fnprof::report {
namespace {

constexpr std::array<std::pair<std::string_view, Granularity>, 5> kGranularities{{{"function", Granularity::kFunction},
                                                                                  {"file", Granularity::kFile},
                                                                                  {"line", Granularity::kLine},
                                                                                  {"module", Granularity::kModule},
                                                                                  {"namespace", Granularity::kNamespace}}};

std::string no_match(const Pattern& pattern, const Names& names, std::string_view option) {
    const std::vector<std::string> near = nearest(pattern.text(), function_words(names));
    return fmt::format("{} {} matches no function{}", option, describe(Matching{pattern.text()}),
                       near.empty() ? "" : fmt::format("; did you mean {}?", alternatives(near)));
}

}  // namespace

std::optional<Granularity> parse_granularity(std::string_view word) {
    for (const auto& [name, granularity] : kGranularities)
        if (name == word) return granularity;
    return std::nullopt;
}

Selected select_paths(const model::Profile& profile, const Names& names, const PathStyle& style, const PathSelection& selection) {
    model::Profile result = profile;
    std::vector<std::string> notes;
    const auto apply = [&](const std::optional<Pattern>& pattern, auto reduce, std::string_view name) {
        if (!pattern) return;
        std::vector<bool> matches;
        for (model::FunctionId id = 0; id < names.size(); ++id) matches.push_back(pattern->found_in(names.label(id, style)));
        if (std::ranges::find(matches, true) == matches.end()) notes.push_back(no_match(*pattern, names, name));
        result = reduce(result, matches, fmt::format("{} {}", name, describe(Matching{pattern->text()})));
    };
    apply(selection.focus, model::focus, "focus");
    apply(selection.ignore, model::ignore, "ignore");
    apply(selection.hide, model::hide, "hide");
    apply(selection.show_from, model::show_from, "show-from");
    if (selection.by == Granularity::kFunction) return {std::move(result), names, std::move(notes)};
    Grouping grouping = group(names, style, selection.by);
    return {model::regroup(result, grouping.group_of, grouping.names.size()), std::move(grouping.names), std::move(notes)};
}

}  // namespace fnprof::report
