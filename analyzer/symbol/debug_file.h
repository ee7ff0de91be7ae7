// Finding the files that know a module: the binary itself and, if that was stripped, its debug file.
//
// Searched, first come first: the binary; DIR/.build-id/ab/cdef.debug; what .gnu_debuglink names beside the binary, in
// .debug beside it, in DIR/<directory of the binary> and in DIR; DIR/<name of the binary> with and without ".debug".
// DIR is each of the user's directories, then /usr/lib/debug. A file is accepted if its build-id is the module's, or,
// where the module has none, if it has none either and its checksum is the link's.
//
// A package of split debug information is looked for beside the file with debug information and beside the binary, under
// their names with ".dwp" appended, and in the user's directories. It has no build-id: its units have ids of their own.
#pragma once

#include "symbol/elf_file.h"

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace fnprof::symbol {

enum class Fate {
    kFound,        // names, files and lines can be had
    kNoDebugInfo,  // the binary is there, its debug information is not
    kChanged,      // another binary is at the path by now
    kMissing,      // nothing is at the path, or nothing readable
};

struct ModuleFiles {
    std::unique_ptr<ElfFile> binary;  // null unless it is the one that was traced
    std::unique_ptr<ElfFile> debug;   // null: debug information is in the binary or nowhere
    Fate fate = Fate::kMissing;
    std::vector<std::string> packages;  // where a package of split debug information may be

    // The file with debug information, or null.
    const ElfFile* with_debug_info() const;
    // The file with the most symbols, or null.
    const ElfFile* with_symbols() const;
};

ModuleFiles find_module_files(const std::string& path, std::span<const uint8_t> build_id,
                              const std::vector<std::string>& debug_dirs);

}  // namespace fnprof::symbol
