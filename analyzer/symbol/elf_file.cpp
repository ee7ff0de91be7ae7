#include "symbol/elf_file.h"

#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <gelf.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>

namespace fnprof::symbol {
namespace {

template <typename Visit>
void each_section(Elf* elf, Visit visit) {
    for (Elf_Scn* section = elf_nextscn(elf, nullptr); section != nullptr; section = elf_nextscn(elf, section)) {
        GElf_Shdr header;
        if (gelf_getshdr(section, &header) != nullptr && !visit(section, header)) return;
    }
}

constexpr std::array<uint32_t, 256> crc_table() {
    std::array<uint32_t, 256> table{};
    for (uint32_t i = 0; i < 256; ++i) {
        uint32_t value = i;
        for (int bit = 0; bit < 8; ++bit) value = (value >> 1) ^ ((value & 1) != 0 ? 0xedb88320U : 0U);
        table[i] = value;
    }
    return table;
}
constexpr std::array<uint32_t, 256> kCrcTable = crc_table();

struct Candidate {
    uint64_t address;
    uint64_t size;
    const char* name;
    bool indirect;
    int rank;  // smaller is better
};

int rank(const GElf_Sym& symbol) {
    switch (GELF_ST_BIND(symbol.st_info)) {
        case STB_GLOBAL:
            return 0;
        case STB_WEAK:
            return 1;
        default:
            return 2;
    }
}

}  // namespace

std::unique_ptr<ElfFile> ElfFile::open(const std::string& path) {
    if (elf_version(EV_CURRENT) == EV_NONE) return nullptr;
    // O_NONBLOCK: a path out of a trace may name a FIFO by now.
    const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) return nullptr;
    struct stat status {};
    Elf* elf = fstat(fd, &status) == 0 && S_ISREG(status.st_mode) ? elf_begin(fd, ELF_C_READ_MMAP, nullptr) : nullptr;
    if (elf == nullptr || elf_kind(elf) != ELF_K_ELF) {
        elf_end(elf);
        close(fd);
        return nullptr;
    }
    return std::unique_ptr<ElfFile>(new ElfFile(path, fd, elf));
}

ElfFile::~ElfFile() {
    elf_end(elf_);
    close(fd_);
}

std::span<const uint8_t> ElfFile::build_id() const {
    const void* bytes = nullptr;
    const ssize_t length = dwelf_elf_gnu_build_id(elf_, &bytes);
    if (length <= 0) return {};
    return {static_cast<const uint8_t*>(bytes), static_cast<size_t>(length)};
}

std::optional<ElfFile::DebugLink> ElfFile::debug_link() const {
    GElf_Word crc = 0;
    const char* name = dwelf_elf_gnu_debuglink(elf_, &crc);
    if (name == nullptr || *name == '\0') return std::nullopt;
    return DebugLink{name, crc};
}

bool ElfFile::has_debug_info() const {
    size_t names = 0;
    if (elf_getshdrstrndx(elf_, &names) != 0) return false;
    bool found = false;
    each_section(elf_, [&](Elf_Scn*, const GElf_Shdr& header) {
        const char* name = elf_strptr(elf_, names, header.sh_name);
        found = name != nullptr && header.sh_type != SHT_NOBITS &&
                (std::strcmp(name, ".debug_info") == 0 || std::strcmp(name, ".zdebug_info") == 0);
        return !found;
    });
    return found;
}

bool ElfFile::has_symbol_table() const {
    bool found = false;
    each_section(elf_, [&](Elf_Scn*, const GElf_Shdr& header) {
        found = header.sh_type == SHT_SYMTAB;
        return !found;
    });
    return found;
}

uint32_t ElfFile::crc() const {
    std::array<unsigned char, 65536> buffer;
    uint32_t value = 0xffffffff;
    off_t offset = 0;
    for (ssize_t got = 0; (got = pread(fd_, buffer.data(), buffer.size(), offset)) > 0; offset += got)
        for (ssize_t i = 0; i < got; ++i) value = kCrcTable[(value ^ buffer[static_cast<size_t>(i)]) & 0xff] ^ (value >> 8);
    return ~value;
}

SymbolTable::SymbolTable(const ElfFile& file) {
    Elf* elf = file.handle();
    const GElf_Word wanted = file.has_symbol_table() ? SHT_SYMTAB : SHT_DYNSYM;
    std::vector<Candidate> found;
    each_section(elf, [&](Elf_Scn* section, const GElf_Shdr& header) {
        if (header.sh_type != wanted || header.sh_entsize == 0) return true;
        Elf_Data* data = elf_getdata(section, nullptr);
        const size_t count = data == nullptr ? 0 : data->d_size / header.sh_entsize;
        for (size_t i = 0; i < count && i <= INT32_MAX; ++i) {
            GElf_Sym symbol;
            if (gelf_getsym(data, static_cast<int>(i), &symbol) == nullptr || symbol.st_shndx == SHN_UNDEF) continue;
            const auto type = GELF_ST_TYPE(symbol.st_info);
            const char* name =
                type == STT_FUNC || type == STT_GNU_IFUNC ? elf_strptr(elf, header.sh_link, symbol.st_name) : nullptr;
            if (name != nullptr && *name != '\0')
                found.push_back({symbol.st_value, symbol.st_size, name, type == STT_GNU_IFUNC, rank(symbol)});
        }
        return true;
    });
    std::ranges::sort(found, [](const Candidate& a, const Candidate& b) {
        if (a.address != b.address) return a.address < b.address;
        if (a.rank != b.rank) return a.rank < b.rank;
        return std::strcmp(a.name, b.name) < 0;
    });
    entries_.reserve(found.size());
    for (const Candidate& candidate : found)
        entries_.push_back({candidate.address, candidate.size, candidate.name, candidate.indirect});
}

std::string_view SymbolTable::find(uint64_t address) const {
    auto after = std::ranges::upper_bound(entries_, address, {}, &Entry::address);
    if (after == entries_.begin()) return {};
    const Entry& entry = *std::ranges::lower_bound(entries_, (--after)->address, {}, &Entry::address);
    return address == entry.address || address - entry.address < entry.size ? std::string_view(entry.name)
                                                                            : std::string_view();
}

uint64_t SymbolTable::size_at(uint64_t address) const {
    uint64_t size = 0;
    for (auto entry = std::ranges::lower_bound(entries_, address, {}, &Entry::address); entry != entries_.end() && entry->address == address; ++entry)
        size = std::max(size, entry->size);
    return size;
}

bool SymbolTable::contradicts(uint64_t address, std::string_view name) const {
    const auto first = std::ranges::lower_bound(entries_, address, {}, &Entry::address);
    const auto last = std::ranges::upper_bound(entries_, address, {}, &Entry::address);
    const auto named = [&](const Entry& entry) { return entry.name == name; };
    if (std::any_of(first, last, named)) return false;
    const auto elsewhere = std::ranges::find_if(entries_, named);
    return elsewhere != entries_.end() && !elsewhere->indirect;
}

}  // namespace fnprof::symbol
