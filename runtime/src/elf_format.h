// The parts of ELF that the runtime reads: 64-bit, of this machine. Values from the System V ABI and its GNU extensions.
#pragma once

#include <cstdint>

namespace fnprof::rt::elf {

struct Header {
    uint8_t ident[16];
    uint16_t type, machine;
    uint32_t version;
    uint64_t entry, program_headers, section_headers;
    uint32_t flags;
    uint16_t header_bytes, program_header_bytes, program_header_count, section_header_bytes, section_header_count,
        names_section;
};
static_assert(sizeof(Header) == 64);

struct ProgramHeader {
    uint32_t type, flags;
    uint64_t offset, address, physical, file_bytes, memory_bytes, alignment;
};
static_assert(sizeof(ProgramHeader) == 56);
constexpr uint32_t kLoad = 1, kDynamic = 2, kNote = 4;
constexpr uint32_t kExecutable = 1;

struct SectionHeader {
    uint32_t name, type;
    uint64_t flags, address, offset, bytes;
    uint32_t link, info;
    uint64_t alignment, entry_bytes;
};
static_assert(sizeof(SectionHeader) == 64);
constexpr uint32_t kSymbolTable = 2, kStringTable = 3, kRelocations = 4, kNoBits = 8, kDynamicSymbols = 11;
constexpr uint64_t kExecutableSection = 4;

struct Symbol {
    uint32_t name;
    uint8_t info, other;
    uint16_t section;
    uint64_t value, bytes;
};
static_assert(sizeof(Symbol) == 24);
constexpr unsigned kLocal = 0, kGlobal = 1, kWeak = 2, kUnique = 10;
constexpr unsigned kNoType = 0, kFunction = 2, kIfunc = 10;
constexpr uint16_t kUndefined = 0, kReserved = 0xff00;

struct Relocation {
    uint64_t offset;
    uint32_t type, symbol;
    uint64_t addend;
};
static_assert(sizeof(Relocation) == 24);
constexpr uint32_t kAddress = 1, kGlobalData = 6, kJumpSlot = 7;  // R_X86_64_64, GLOB_DAT, JUMP_SLOT: the symbol's address
constexpr uint32_t kIndirectRelative = 37;  // R_X86_64_IRELATIVE: the slot gets what the function at `addend` returns

struct Dynamic {
    uint64_t tag, value;
};
constexpr uint64_t kDynamicEnd = 0, kDynamicNeeded = 1, kDynamicPltRelocationBytes = 2, kDynamicHash = 4, kDynamicStrings = 5,
                   kDynamicSymbolTable = 6, kDynamicRelocations = 7, kDynamicRelocationBytes = 8, kDynamicStringBytes = 10,
                   kDynamicDebug = 21, kDynamicPltRelocations = 23, kDynamicGnuHash = 0x6ffffef5, kDynamicVersions = 0x6ffffff0;

struct Note {
    uint32_t name_bytes, content_bytes, type;
};
constexpr uint32_t kBuildId = 3;
constexpr char kFnprofNote[] = "fnprof";  // of runtime/link/fnprof_link.S
constexpr uint32_t kFnprofBindings = 1;

#if defined(__x86_64__)
constexpr uint16_t kMachine = 62;
#endif

inline bool is_ours(const Header& header) {
    return header.ident[0] == 0x7f && header.ident[1] == 'E' && header.ident[2] == 'L' && header.ident[3] == 'F' &&
           header.ident[4] == 2 /* 64 bits */ && header.ident[5] == 1 /* little-endian */ && header.machine == kMachine;
}

}  // namespace fnprof::rt::elf
