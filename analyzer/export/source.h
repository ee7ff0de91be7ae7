// What an export is made of: the profile and the names of its functions. Exports know nothing of reports: who calls them fills this in.
#pragma once

#include "model/profile.h"

#include <cstdint>
#include <span>
#include <string>

namespace fnprof::exporter {

// Strings are valid UTF-8.
struct FunctionName {
    std::string name;    // demangled
    std::string module;  // path as the process saw it; empty: in no known module
    std::string file;    // empty: not known
    uint32_t line = 0;
};

struct Source {
    const model::Profile& profile;
    std::span<const FunctionName> names;  // by FunctionId
    bool raw = false;                     // times as measured, the hooks' own cost included
};

}  // namespace fnprof::exporter
