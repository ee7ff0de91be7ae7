// From an address to the declaration of the function that starts there, through libdw.
//
// The address ranges of all compilation units are read once (clang writes no .debug_aranges, so those are not used); a
// unit's functions are read when the first address in it is asked for, so that a large binary costs what is used of it.
// Units whose DIEs are in a .dwo file get them from there, else from a package of such files (dwo_package.h); where both
// are gone, the line table in the binary answers.
#pragma once

#include "symbol/dwo_package.h"
#include "symbol/elf_file.h"

#include <elfutils/libdw.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fnprof::symbol {

struct Place {
    std::string file;  // absolute, unless the compiler was not told where it ran; empty: not known
    uint32_t line = 0;
};

class SourceIndex {
  public:
    // `file` must outlive the index. Without debug information that can be read, find() knows nothing. `packages`: where a
    // package of the file's split units may be.
    explicit SourceIndex(const ElfFile& file, std::vector<std::string> packages = {});
    ~SourceIndex();
    SourceIndex(const SourceIndex&) = delete;
    SourceIndex& operator=(const SourceIndex&) = delete;

    // Several functions can share an address (identical code folded): then the one with that mangled name is meant.
    Place find(uint64_t address, std::string_view mangled);

    // What the instruction at `address` was compiled from: the functions inlined there, innermost first, then the one that they are inlined
    // into; each with the line that is active in it. Without DIEs the line alone, of the innermost.
    struct SourceFrame {
        std::string function;  // linkage name; empty: not known
        Place line;
    };
    std::vector<SourceFrame> frames_at(uint64_t address);

    // From a function's declaration to the last line of its own in that file, what is inlined into it aside.
    struct Extent {
        std::string file;  // as in Place; empty: not known
        uint32_t first = 0;
        uint32_t last = 0;
    };
    Extent extent(uint64_t address, std::string_view mangled);

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
    std::optional<Dwarf_Die> packaged(Unit& unit);
    std::span<const unsigned char> addresses_of(Unit& unit);
    struct Found {
        const Function* function = nullptr;  // null: only the unit is known
        Unit* unit = nullptr;                // null: nothing is
    };
    Found function_at(uint64_t address, std::string_view mangled);
    const Function* best_function(const Unit& unit, uint64_t address, std::string_view mangled, bool& exact) const;
    std::vector<uint32_t> units_around(uint64_t address) const;

    const ElfFile* file_;
    Dwarf* dwarf_;
    std::vector<std::string> package_paths_;             // until the first unit without .dwo file
    std::vector<std::unique_ptr<DwoPackage>> packages_;  // from then on
    std::vector<uint64_t> address_bases_;                // where the units' addresses start in .debug_addr, ascending
    std::vector<Unit> units_;
    std::vector<Range> ranges_;        // by start
    std::vector<uint32_t> rangeless_;  // units that do not say where their code is
};

}  // namespace fnprof::symbol
