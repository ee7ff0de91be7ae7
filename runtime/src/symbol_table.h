// Where an ELF image has its symbols: found by section headers in its file, or by the dynamic segment in its mapping.
//
// Context: collector, end, under the metadata lock; signal-safe.
#pragma once

#include "elf_format.h"
#include "elf_image.h"
#include "memory.h"
#include "modules.h"

namespace fnprof::rt {

// Offsets are the source's.
struct SymbolTable {
    uint64_t symbols, symbol_count;
    uint64_t strings, string_bytes;
};

// The section headers of a file; empty when they are not there or make no sense.
class Sections {
  public:
    explicit Sections(const ElfSource& file);
    ~Sections() { memory_.release(); }
    Sections(const Sections&) = delete;
    Sections& operator=(const Sections&) = delete;

    // .symtab if there is one, else .dynsym.
    bool find_symbols(SymbolTable& table) const;
    bool is_code(uint16_t section) const { return section < count_ && (at(section).flags & elf::kExecutableSection) != 0; }

    // The resolver of the indirect function (ifunc) that the code at `address` jumps to through its slot; 0: it does not.
    uint64_t find_resolver(const ElfSource& file, uint64_t address) const;

  private:
    bool find_jump_slot(const ElfSource& file, uint64_t address, uint64_t& slot) const;
    const elf::SectionHeader& at(uint32_t index) const {
        return reinterpret_cast<const elf::SectionHeader*>(memory_.data())[index];
    }
    GrowingMemory memory_;
    uint32_t count_ = 0;
};

// The dynamic symbols of a module whose file is gone, as they are mapped. `memory` is ElfSource::memory(module.start).
bool find_mapped_symbols(const ElfSource& memory, const Module& module, SymbolTable& table);

}  // namespace fnprof::rt
