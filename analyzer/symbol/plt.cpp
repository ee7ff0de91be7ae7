#include "symbol/plt.h"

#include <gelf.h>

#include <cstring>
#include <span>

namespace fnprof::symbol {
namespace {

constexpr size_t kLongestSlot = 16;

// The bytes of the file that are loaded at `address`, as many as its section has.
std::span<const unsigned char> code_at(Elf* elf, uint64_t address) {
    for (Elf_Scn* section = elf_nextscn(elf, nullptr); section != nullptr; section = elf_nextscn(elf, section)) {
        GElf_Shdr header;
        if (gelf_getshdr(section, &header) == nullptr || header.sh_type != SHT_PROGBITS ||
            (header.sh_flags & SHF_EXECINSTR) == 0)
            continue;
        if (address < header.sh_addr || address - header.sh_addr >= header.sh_size) continue;
        const Elf_Data* data = elf_rawdata(section, nullptr);
        const uint64_t offset = address - header.sh_addr;
        if (data == nullptr || data->d_buf == nullptr || offset >= data->d_size) return {};
        return std::span(static_cast<const unsigned char*>(data->d_buf), data->d_size).subspan(offset);
    }
    return {};
}

// x86-64: [endbr64] [bnd] jmp *disp32(%rip). The address of the pointer.
std::optional<uint64_t> pointer_of(std::span<const unsigned char> code, uint64_t address) {
    constexpr unsigned char kEndbr[4] = {0xf3, 0x0f, 0x1e, 0xfa};
    constexpr unsigned char kBnd = 0xf2;
    size_t at = 0;
    if (code.size() < kLongestSlot) return std::nullopt;
    if (std::memcmp(code.data(), kEndbr, sizeof kEndbr) == 0) at += sizeof kEndbr;
    if (code[at] == kBnd) ++at;
    if (code[at] != 0xff || code[at + 1] != 0x25) return std::nullopt;
    int32_t displacement = 0;
    std::memcpy(&displacement, &code[at + 2], sizeof displacement);
    return address + at + 6 + static_cast<uint64_t>(static_cast<int64_t>(displacement));
}

// The name of symbol `index` of the symbol table in section `table`.
std::string symbol_name(Elf* elf, size_t table, size_t index) {
    Elf_Scn* section = elf_getscn(elf, table);
    GElf_Shdr header;
    GElf_Sym symbol;
    if (section == nullptr || gelf_getshdr(section, &header) == nullptr) return {};
    Elf_Data* data = elf_getdata(section, nullptr);
    if (data == nullptr || index > INT32_MAX || gelf_getsym(data, static_cast<int>(index), &symbol) == nullptr) return {};
    const char* name = elf_strptr(elf, header.sh_link, symbol.st_name);
    return name == nullptr ? std::string() : std::string(name);
}

}  // namespace

PltSlots::PltSlots(const ElfFile& file) : file_(&file) {
    Elf* elf = file.handle();
    GElf_Ehdr head;
    if (gelf_getehdr(elf, &head) == nullptr || head.e_machine != EM_X86_64) return;
    for (Elf_Scn* section = elf_nextscn(elf, nullptr); section != nullptr; section = elf_nextscn(elf, section)) {
        GElf_Shdr header;
        if (gelf_getshdr(section, &header) == nullptr || header.sh_type != SHT_RELA || header.sh_entsize == 0) continue;
        Elf_Data* data = elf_getdata(section, nullptr);
        const size_t count = data == nullptr ? 0 : data->d_size / header.sh_entsize;
        for (size_t i = 0; i < count && i <= INT32_MAX; ++i) {
            GElf_Rela relocation;
            if (gelf_getrela(data, static_cast<int>(i), &relocation) == nullptr) continue;
            const auto type = GELF_R_TYPE(relocation.r_info);
            if (type == R_X86_64_IRELATIVE)
                pointers_[relocation.r_offset] = {{}, static_cast<uint64_t>(relocation.r_addend)};
            else if (type == R_X86_64_JUMP_SLOT || type == R_X86_64_GLOB_DAT)
                pointers_[relocation.r_offset] = {symbol_name(elf, header.sh_link, GELF_R_SYM(relocation.r_info)), 0};
        }
    }
}

std::optional<PltSlots::Target> PltSlots::find(uint64_t address) const {
    const auto pointer = pointer_of(code_at(file_->handle(), address), address);
    const auto target = pointer ? pointers_.find(*pointer) : pointers_.end();
    return target == pointers_.end() ? std::nullopt : std::optional(target->second);
}

}  // namespace fnprof::symbol
