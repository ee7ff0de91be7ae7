// One compilation unit as an ELF file in memory, for libdw.
//
// The file that holds the unit's sections, among those of others, is mapped privately; behind it follow the unit's
// addresses, names of sections and section headers, and the ELF header at its front points at those. So the unit has
// sections of its own and nothing but its addresses is copied.
#pragma once

#include <elfutils/libdw.h>

#include <array>
#include <cstdint>
#include <memory>
#include <span>

namespace fnprof::symbol {

enum UnitSection : size_t { kInfo, kAbbrev, kLine, kStrOffsets, kRngLists, kStr, kUnitSectionCount };

struct Slice {
    uint64_t offset = 0;  // in the file
    uint64_t bytes = 0;   // 0: there is no such section
};
using UnitSections = std::array<Slice, kUnitSectionCount>;

class UnitImage {
  public:
    // `fd` is a file of `file_bytes` bytes, its first 64 are an ELF header or of no account; `sections` lie within it.
    // `addresses` becomes .debug_addr. Null if libdw finds no unit of that id in it.
    static std::unique_ptr<UnitImage> create(int fd, uint64_t file_bytes, const UnitSections& sections,
                                             std::span<const unsigned char> addresses, uint64_t id);
    ~UnitImage();
    UnitImage(const UnitImage&) = delete;
    UnitImage& operator=(const UnitImage&) = delete;

    const Dwarf_Die& root() const { return root_; }

  private:
    UnitImage(unsigned char* image, size_t bytes) : image_(image), bytes_(bytes) {}
    bool open(uint64_t id);

    unsigned char* image_;
    size_t bytes_;
    Elf* elf_ = nullptr;
    Dwarf* dwarf_ = nullptr;
    Dwarf_Die root_{};
};

}  // namespace fnprof::symbol
