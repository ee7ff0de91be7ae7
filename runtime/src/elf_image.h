// What a mapped ELF file says about itself: where it is loaded, how far it reaches, its build-id.
//
// Context: collector, init, under the metadata lock; signal-safe.
#pragma once

#include <cstddef>
#include <cstdint>

namespace fnprof::rt {

// An ELF file's bytes, from the file or from its mapping in this process. Reads fail, they never fault.
class ElfSource {
  public:
    static ElfSource file(int fd) { return {fd, 0}; }
    // image_start: where offset 0 of the file is mapped.
    static ElfSource memory(uint64_t image_start) { return {-1, image_start}; }

    // All of `bytes` bytes from `offset`, or false.
    bool read(uint64_t offset, void* to, size_t bytes) const;

  private:
    ElfSource(int fd, uint64_t image_start) : fd_(fd), image_start_(image_start) {}
    int fd_;
    uint64_t image_start_;
};

struct ElfImage {
    uint64_t bias;        // run-time address = bias + address in the file
    uint64_t start, end;  // all loaded segments, at run time
    uint8_t build_id[32];
    uint8_t build_id_bytes;
    uint64_t bindings;  // run-time address of the words in fnprof's note (see mark_bindings.h); 0: it has none
};
constexpr size_t kBindingCount = 3;

// Reads the headers, knowing that the file's `offset` is mapped, executable, at `address`. False: not an ELF file of this
// machine, or none whose segments agree with that mapping.
bool read_elf_image(const ElfSource& source, uint64_t address, uint64_t offset, ElfImage& image);

}  // namespace fnprof::rt
