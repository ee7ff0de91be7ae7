// Which files the dynamic loader will take for the libraries that a program needs: the search of ld.so(8), done by reading.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "check/binary.h"

namespace fnprof::check {

// A module of a program, in the order in which the loader looks for symbols.
struct ScopeEntry {
    std::string name;                      // as DT_NEEDED has it; the program's own path for the first
    std::shared_ptr<const Binary> binary;  // null: not found
    size_t depth = 0;                      // 0: the program; 1: needed by it
};

struct LoaderSettings {
    std::string library_path;                     // LD_LIBRARY_PATH
    std::string cache = "/etc/ld.so.cache";
};

// The program and what it needs, directly and through others, breadth first.
std::vector<ScopeEntry> load_scope(const std::shared_ptr<const Binary>& program, const LoaderSettings& settings);

}  // namespace fnprof::check
