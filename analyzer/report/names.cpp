#include "report/names.h"

#include "report/text.h"
#include "symbol/demangle.h"

#include <fmt/format.h>

namespace fnprof::report {
namespace {

std::string nameless(const model::Profile& profile, const model::Function& function) {
    if (function.module == model::kNone) return fmt::format("{:#x}", function.offset);
    const std::string& path = profile.modules[function.module].path;
    return fmt::format("{}+{:#x}", path.empty() ? "?" : base_name(path), function.offset);
}

// "prefix(function)"; no prefix for a function that is named by its module already.
std::string assembled(const std::string& prefix, const std::string& function) {
    return prefix.empty() ? function : prefix + "(" + function + ")";
}

}  // namespace

std::string styled_path(const std::string& path, const PathStyle& style) {
    if (style.stripped) return std::string(base_name(path));
    const std::string& below = style.directory;
    if (!style.in_full && below.size() > 1 && path.size() > below.size() + 1 && path.starts_with(below) &&
        path[below.size()] == '/')
        return path.substr(below.size() + 1);
    return path;
}

std::string_view base_name(std::string_view path) {
    const size_t slash = path.rfind('/');
    return slash == std::string_view::npos || slash + 1 == path.size() ? path : path.substr(slash + 1);
}

std::string_view sort_path(std::string_view path, const PathStyle& style) { return style.stripped ? base_name(path) : path; }

Names::Names(const model::Profile& profile, symbol::Symbolizer& symbolizer) {
    names_.reserve(profile.functions.size());
    for (const model::Function& function : profile.functions) {
        Name name;
        name.mangled = function.mangled;
        name.offset = function.offset;
        if (function.module != model::kNone) {
            const model::Module& module = profile.modules[function.module];
            symbol::Symbol symbol = symbolizer.resolve(module.path, module.build_id, function.offset, function.mangled);
            name.mangled = std::move(symbol.mangled);
            name.file = std::move(symbol.file);
            name.line = symbol.line;
            name.module = module.path;
        }
        name.name = name.mangled.empty() ? nameless(profile, function) : symbol::demangle(name.mangled);
        names_.push_back(std::move(name));
    }
    for (size_t id = 0; id < names_.size(); ++id) {
        if (names_[id].file.empty()) continue;
        const model::Module& module = profile.modules[profile.functions[id].module];
        if (symbolizer.believed(module.path, module.build_id)) continue;
        names_[id].file.clear();
        names_[id].line = 0;
    }
    call_sites_ = call_site_names(profile, symbolizer);
}

std::string Names::function_first(model::FunctionId id, const PathStyle& style, size_t width) const {
    const Name& name = names_[id];
    if (name.group) return label(id, style, width);
    const std::string function = printable(name.name);
    std::string place;
    if (!name.file.empty()) place = printable(fmt::format("  {}:{}", styled_path(name.file, style), name.line));
    if (width == 0 || columns(function) + columns(place) <= width) return function + place;
    if (!place.empty() && !style.in_full) place = "  " + std::string(base_name(place));
    if (columns(function) + columns(place) <= width) return function + place;
    return cut_name(function, width);
}

std::string Names::name(model::FunctionId id, size_t width) const {
    const Name& name = names_[id];
    const std::string text = printable(name.name);
    if (width == 0 || columns(text) <= width) return text;
    return name.file.empty() && name.module.empty() ? cut_name(text, width) : std::string(base_name(text));
}

std::string Names::label(model::FunctionId id, const PathStyle& style) const { return label(id, style, 0); }

std::string Names::label(model::FunctionId id, const PathStyle& style, size_t width) const {
    const Name& name = names_[id];
    if (name.group) return this->name(id, style.in_full ? 0 : width);
    const std::string function = printable(name.name);
    std::string prefix;
    if (!name.file.empty())
        prefix = printable(fmt::format("{}:{}", styled_path(name.file, style), name.line));
    else if (!name.module.empty() && !name.mangled.empty())
        prefix = printable(base_name(name.module));
    std::string whole = assembled(prefix, function);
    if (width == 0 || columns(whole) <= width) return whole;
    if (!style.in_full) prefix = std::string(base_name(prefix));
    const size_t taken = prefix.empty() ? 0 : columns(prefix) + 2;
    return assembled(prefix, cut_name(function, width > taken ? width - taken : 0));
}

}  // namespace fnprof::report
