#include "report/names.h"

#include "report/text.h"
#include "symbol/demangle.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace fnprof::report {
namespace {

std::string_view file_name(const model::Module& module) { return module.path.empty() ? "?" : base_name(module.path); }

class CallSiteNamer {
  public:
    CallSiteNamer(const model::Profile& profile, symbol::Symbolizer& symbolizer) : profile_(profile), symbolizer_(symbolizer) {
        for (const model::Function& function : profile.functions)
            if (!function.mangled.empty()) instrumented_.insert(function.mangled);
    }

    CallSiteName name(const model::CallSite& site) {
        CallSiteName name{.kind = site.kind, .file = {}, .line = 0, .code = {}};
        if (site.kind == model::CallSite::Kind::kInlined) return name;
        if (site.module == model::kNone) {
            name.code = fmt::format("{:#x}", site.offset);
            return name;
        }
        const model::Module& module = profile_.modules[site.module];
        if (site.kind == model::CallSite::Kind::kElsewhere)
            name.code = code_around(module, site.offset);
        else if (symbol::SourceLine line = line_of(module, site.offset); !line.file.empty()) {
            name.file = std::move(line.file);
            name.line = line.line;
        } else
            name.code = fmt::format("{}+{:#x}", file_name(module), site.offset);
        return name;
    }

  private:
    // "module(function)" around a call site that lies in code without hooks.
    std::string code_around(const model::Module& module, uint64_t offset) {
        const std::string mangled = symbolizer_.name_around(module.path, module.build_id, offset - 1);
        if (mangled.empty()) return fmt::format("{}+{:#x}", file_name(module), offset);
        return fmt::format("{}({})", file_name(module), qualified_name(symbol::demangle(mangled)));
    }

    // In the caller: the innermost of the functions inlined there that has hooks. The instruction before the call site is the call.
    symbol::SourceLine line_of(const model::Module& module, uint64_t offset) {
        const std::vector<symbol::SourceLine> lines = symbolizer_.lines_at(module.path, module.build_id, offset - 1);
        if (lines.empty() || !symbolizer_.believed(module.path, module.build_id)) return {};
        const auto caller = std::ranges::find_if(lines, [&](const symbol::SourceLine& line) { return instrumented_.contains(line.function); });
        return caller == lines.end() ? lines.front() : *caller;
    }

    const model::Profile& profile_;
    symbol::Symbolizer& symbolizer_;
    std::set<std::string> instrumented_;
};

}  // namespace

std::vector<CallSiteName> call_site_names(const model::Profile& profile, symbol::Symbolizer& symbolizer) {
    CallSiteNamer namer(profile, symbolizer);
    std::vector<CallSiteName> names;
    names.reserve(profile.call_sites.size());
    for (const model::CallSite& site : profile.call_sites) names.push_back(namer.name(site));
    return names;
}

}  // namespace fnprof::report
