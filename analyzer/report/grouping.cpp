#include "report/grouping.h"

#include "report/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <tuple>

namespace fnprof::report {
namespace {

std::string joined(const std::vector<std::string>& scopes, size_t count) {
    std::string text;
    for (size_t i = 0; i < count; ++i) text += (i == 0 ? "" : "::") + scopes[i];
    return text;
}

// Scopes with constructors or destructors.
std::set<std::string> classes_of(const Names& names) {
    std::set<std::string> classes;
    for (model::FunctionId id = 0; id < names.size(); ++id) {
        const std::vector<std::string> scopes = surrounding_scopes(names[id].name);
        if (scopes.empty()) continue;
        const std::string function = unqualified_name(names[id].name);
        if (function == scopes.back() || function == "~" + scopes.back()) classes.insert(joined(scopes, scopes.size()));
    }
    return classes;
}

std::string namespace_of(const std::string& name, const std::set<std::string>& classes) {
    const std::vector<std::string> scopes = surrounding_scopes(name);
    size_t count = 0;
    while (count < scopes.size() && !classes.contains(joined(scopes, count + 1))) ++count;
    return count == 0 ? "(global namespace)" : joined(scopes, count);
}

std::string module_text(const Name& name, const PathStyle& style) {
    return name.module.empty() ? "(no module)" : styled_path(name.module, style);
}

// The group's name as its functions have it; equal ones are one group.
Name group_name(const Name& function, const PathStyle& style, Granularity by, const std::set<std::string>& classes) {
    Name name;
    name.group = true;
    switch (by) {
        case Granularity::kFile:
        case Granularity::kLine:
            if (function.file.empty()) {
                name.name = module_text(function, style) + " (source not known)";
                name.module = function.module;
                break;
            }
            name.file = function.file;
            name.name = styled_path(function.file, style);
            if (by == Granularity::kFile) break;
            name.line = function.line;
            name.name += fmt::format(":{}", function.line);
            break;
        case Granularity::kModule:
            name.name = module_text(function, style);
            name.module = function.module;
            break;
        case Granularity::kNamespace:
            name.name = function.mangled.empty() ? "(name not known)" : namespace_of(function.name, classes);
            break;
        case Granularity::kFunction:
            break;
    }
    return name;
}

}  // namespace

Grouping group(const Names& names, const PathStyle& style, Granularity by) {
    const std::set<std::string> classes = by == Granularity::kNamespace ? classes_of(names) : std::set<std::string>();
    using Key = std::tuple<std::string, std::string, uint32_t, std::string>;
    std::map<Key, model::FunctionId> numbers;
    std::vector<Name> groups;
    std::vector<model::FunctionId> group_of;
    for (model::FunctionId id = 0; id < names.size(); ++id) {
        Name name = group_name(names[id], style, by, classes);
        const Key key{name.file, name.module, name.line, name.name};
        const auto [entry, added] = numbers.try_emplace(key, static_cast<model::FunctionId>(groups.size()));
        if (added) groups.push_back(std::move(name));
        group_of.push_back(entry->second);
    }
    return {std::move(group_of), Names(std::move(groups), by, names.call_sites())};
}

}  // namespace fnprof::report
