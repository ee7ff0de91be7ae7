// Packages of split debug information (.dwp): a program's .dwo files in one, with an index of the units.
//
// libdw 0.188 reads .dwo files and no packages, so each unit that is asked for is shown to it as a file of its own
// (unit_image.h). Versions of the index: 2 (GNU, DWARF 4) and 5.
#pragma once

#include "symbol/elf_file.h"
#include "symbol/unit_image.h"

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace fnprof::symbol {

class DwoPackage {
  public:
    // Nothing if the path names no package that can be read.
    static std::unique_ptr<DwoPackage> open(const std::string& path);
    ~DwoPackage();
    DwoPackage(const DwoPackage&) = delete;
    DwoPackage& operator=(const DwoPackage&) = delete;

    // The unit with that id, its skeleton's; nothing if it is not here. `addresses`: the program's .debug_addr from the
    // skeleton's base on. The unit lives as long as the package.
    std::optional<Dwarf_Die> unit(uint64_t id, std::span<const unsigned char> addresses);

  private:
    explicit DwoPackage(std::unique_ptr<ElfFile> file) : file_(std::move(file)) {}
    bool read_sections();
    bool unpack(const std::array<Elf_Data*, kUnitSectionCount>& data);
    bool read_index(std::span<const unsigned char> index);

    std::unique_ptr<ElfFile> file_;
    int unpacked_ = -1;        // a file in memory, where sections of `file_` are compressed
    uint64_t bytes_ = 0;       // of the file that the sections are in
    UnitSections sections_{};  // of the whole package
    std::map<uint64_t, UnitSections> units_;
    std::map<uint64_t, std::unique_ptr<UnitImage>> images_;
};

}  // namespace fnprof::symbol
