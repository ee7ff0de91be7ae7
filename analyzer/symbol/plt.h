// The functions behind slots of the procedure linkage table.
//
// The address of a function with several implementations (ifunc, target_clones), and in executables that are not
// position-independent that of any library's function, is a slot: a jump through a pointer that the loader fills in. No
// symbol has that address. The pointer's relocation tells what is meant.
#pragma once

#include "symbol/elf_file.h"

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>

namespace fnprof::symbol {

class PltSlots {
  public:
    struct Target {
        std::string name;      // of the symbol that the slot is for; empty: it has none
        uint64_t address = 0;  // of the resolver that picks an implementation; 0: none
    };

    explicit PltSlots(const ElfFile& file);

    // What the slot at `address` is for, if there is one there. Knows x86-64.
    std::optional<Target> find(uint64_t address) const;

  private:
    const ElfFile* file_;
    std::unordered_map<uint64_t, Target> pointers_;  // by the address of the pointer
};

}  // namespace fnprof::symbol
