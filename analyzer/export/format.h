// The formats that profiles can be exported to: one a file, each registered in the table of format.cpp.
#pragma once

#include "export/source.h"

#include <iosfwd>
#include <span>
#include <string_view>

namespace fnprof::exporter {

struct Format {
    std::string_view name;
    std::string_view summary;
    bool binary;  // nothing for a terminal
    // Of a profile that has functions.
    void (*write)(std::ostream& out, const Source& source);
};

std::span<const Format> formats();

// Null: there is none of that name.
const Format* find_format(std::string_view name);

}  // namespace fnprof::exporter
