// One ELF file, open for reading: its build-id, its link to a debug file, its symbols.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

struct Elf;

namespace fnprof::symbol {

class ElfFile {
  public:
    struct DebugLink {
        std::string name;
        uint32_t crc;
    };

    // Nothing if the path names no readable ELF file.
    static std::unique_ptr<ElfFile> open(const std::string& path);
    ~ElfFile();
    ElfFile(const ElfFile&) = delete;
    ElfFile& operator=(const ElfFile&) = delete;

    const std::string& path() const { return path_; }
    Elf* handle() const { return elf_; }
    int fd() const { return fd_; }
    std::span<const uint8_t> build_id() const;
    std::optional<DebugLink> debug_link() const;
    bool has_debug_info() const;
    bool has_symbol_table() const;
    // CRC-32 of the whole file, as .gnu_debuglink has it.
    uint32_t crc() const;

  private:
    ElfFile(std::string path, int fd, Elf* elf) : path_(std::move(path)), fd_(fd), elf_(elf) {}

    std::string path_;
    int fd_;
    Elf* elf_;
};

// The functions of a file's .symtab, or of its .dynsym if it has no .symtab, by address.
class SymbolTable {
  public:
    explicit SymbolTable(const ElfFile& file);

    // The mangled name of the function at or around `address`; empty if there is none. Of several names for one address:
    // global before weak before local, then the first in alphabetical order.
    std::string_view find(uint64_t address) const;

    // Bytes of the code of the function that begins at `address`; 0: there is none, or it has no size.
    uint64_t size_at(uint64_t address) const;

    // Whether the function of that name is not at `address` but elsewhere.
    bool contradicts(uint64_t address, std::string_view name) const;

  private:
    struct Entry {
        uint64_t address;
        uint64_t size;
        const char* name;  // in the ELF file
        bool indirect;     // called through a slot, at another address
    };
    std::vector<Entry> entries_;  // by address, the best name first
};

}  // namespace fnprof::symbol
