// What reports call the functions of a profile: resolved once, by FunctionId.
#pragma once

#include "model/profile.h"
#include "symbol/symbolizer.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace fnprof::report {

// What a row stands for.
enum class Granularity { kFunction, kFile, kLine, kModule, kNamespace };

// "function", "file", "line", "module", "namespace".
constexpr std::string_view row_word(Granularity granularity) {
    switch (granularity) {
        case Granularity::kFunction: return "function";
        case Granularity::kFile: return "file";
        case Granularity::kLine: return "line";
        case Granularity::kModule: return "module";
        case Granularity::kNamespace: return "namespace";
    }
    return "";
}

struct Name {
    std::string name;     // demangled; "module+0xoffset" if there is none
    std::string mangled;  // empty: not known
    std::string module;   // path as the process saw it; empty: in no known module
    std::string file;     // empty: not known
    uint32_t line = 0;
    uint64_t offset = 0;  // symbol-table address in the module
    bool group = false;   // of functions: the name says all
};

// Where a call comes from.
struct CallSiteName {
    model::CallSite::Kind kind = model::CallSite::Kind::kInCaller;
    std::string file;  // of the call, absolute; empty: not known, or not in the caller
    uint32_t line = 0;
    std::string code;  // what the call site lies in, "module(function)", "module+0xoffset" or an address; empty: of an inlined callee
    bool operator==(const CallSiteName&) const = default;
};

struct PathStyle {
    std::string directory;  // paths below it are printed relative to it
    bool in_full = false;   // paths are printed as they are, however wide
    bool stripped = false;  // files are printed without their directories
};

class Names {
  public:
    Names(const model::Profile& profile, symbol::Symbolizer& symbolizer);
    explicit Names(std::vector<Name> names, Granularity granularity = Granularity::kFunction, std::vector<CallSiteName> call_sites = {})
        : names_(std::move(names)), call_sites_(std::move(call_sites)), granularity_(granularity) {}

    Granularity granularity() const { return granularity_; }

    const Name& operator[](model::FunctionId id) const { return names_[id]; }
    size_t size() const { return names_.size(); }

    // Of the profile's call sites; those of one source line are equal.
    const std::vector<CallSiteName>& call_sites() const { return call_sites_; }

    // pstats' name of a function: "file:line(function)", or "module(function)" without debug information, or
    // "module+0xoffset". Control characters are made visible.
    std::string label(model::FunctionId id, const PathStyle& style) const;

    // The same in at most `width` columns where that can be done without losing the function: first the path gives way,
    // then the function's parameters (cut_name). 0: no limit.
    std::string label(model::FunctionId id, const PathStyle& style, size_t width) const;

    // The name alone, in at most `width` columns where that is possible. 0: no limit.
    std::string name(model::FunctionId id, size_t width) const;

    // "function  file:line" in at most `width` columns where that is possible: the place gives way first. 0: no limit.
    std::string function_first(model::FunctionId id, const PathStyle& style, size_t width) const;

  private:
    std::vector<Name> names_;
    std::vector<CallSiteName> call_sites_;
    Granularity granularity_ = Granularity::kFunction;
};

// The name of each of the profile's call sites.
std::vector<CallSiteName> call_site_names(const model::Profile& profile, symbol::Symbolizer& symbolizer);

// A source file as `style` has it.
std::string styled_path(const std::string& path, const PathStyle& style);

std::string_view base_name(std::string_view path);

// What files are sorted by: all of the path, unless it is not printed.
std::string_view sort_path(std::string_view path, const PathStyle& style);

}  // namespace fnprof::report
