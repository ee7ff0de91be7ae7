// From an address to the declaration of the function that starts there, through libdw.
//
// The address ranges of all compilation units are read once (clang writes no .debug_aranges, so those are not used); a
// unit's functions are read when the first address in it is asked for, so that a large binary costs what is used of it.
// Units whose DIEs are in a .dwo file get them from there; where that is gone, the line table in the binary answers.
#pragma once

#include "symbol/elf_file.h"

#include <elfutils/libdw.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace fnprof::symbol {

struct Place {
    std::string file;  // empty: not known
    uint32_t line = 0;
};

class SourceIndex {
  public:
    // `file` must outlive the index. Without debug information that can be read, find() knows nothing.
    explicit SourceIndex(const ElfFile& file);
    ~SourceIndex();
    SourceIndex(const SourceIndex&) = delete;
    SourceIndex& operator=(const SourceIndex&) = delete;

    // Several functions can share an address (identical code folded): then the one with that mangled name is meant.
    Place find(uint64_t address, std::string_view mangled);

    bool readable() const { return dwarf_ != nullptr; }

  private:
    struct Function {
        uint64_t start;
        uint64_t end;
        Dwarf_Die die;
    };
    struct Unit {
        Dwarf_Die die;  // of the unit in this file: the skeleton, where the unit is split
        bool indexed = false;
        std::vector<Function> functions;  // by start
    };
    struct Range {
        uint64_t start;
        uint64_t end;
        uint32_t unit;
    };

    void index(Unit& unit);
    const Function* best_function(const Unit& unit, uint64_t address, std::string_view mangled, bool& exact) const;
    std::vector<uint32_t> units_around(uint64_t address) const;

    Dwarf* dwarf_;
    std::vector<Unit> units_;
    std::vector<Range> ranges_;        // by start
    std::vector<uint32_t> rangeless_;  // units that do not say where their code is
};

}  // namespace fnprof::symbol
