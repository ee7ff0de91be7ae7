#include "symbol/unit_image.h"

#include <elf.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <string_view>

namespace fnprof::symbol {
namespace {

// Not named .dwo: libdw would look for the skeleton, and the unit has its addresses with it.
constexpr std::array<std::string_view, kUnitSectionCount> kNames{".debug_info",        ".debug_abbrev",   ".debug_line",
                                                                 ".debug_str_offsets", ".debug_rnglists", ".debug_str"};

constexpr uint64_t kAlignment = 8;
uint64_t aligned(uint64_t size, uint64_t to) { return (size + to - 1) / to * to; }

// Section headers and their names, as they grow.
class Headers {
  public:
    void add(std::string_view name, uint64_t offset, uint64_t bytes, uint32_t type = SHT_PROGBITS) {
        Elf64_Shdr& header = headers_[count_++];
        header.sh_name = static_cast<uint32_t>(names_bytes_);
        header.sh_type = type;
        header.sh_offset = offset;
        header.sh_size = bytes;
        header.sh_addralign = 1;
        std::memcpy(&names_[names_bytes_], name.data(), name.size());
        names_bytes_ += name.size() + 1;
    }
    const std::array<char, 128>& names() const { return names_; }
    const std::array<Elf64_Shdr, kUnitSectionCount + 3>& table() const { return headers_; }
    uint16_t count() const { return count_; }

  private:
    std::array<char, 128> names_{};
    size_t names_bytes_ = 1;
    std::array<Elf64_Shdr, kUnitSectionCount + 3>
        headers_{};  // the first is empty; .debug_addr and the names' are the last
    uint16_t count_ = 1;
};

}  // namespace

std::unique_ptr<UnitImage> UnitImage::create(int fd, uint64_t file_bytes, const UnitSections& sections,
                                             std::span<const unsigned char> addresses, uint64_t id) {
    const uint64_t page = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
    const uint64_t addresses_at = aligned(file_bytes, page);
    const uint64_t names_at = aligned(addresses_at + addresses.size(), kAlignment);

    Headers headers;
    for (size_t i = 0; i < sections.size(); ++i)
        if (sections[i].bytes != 0) headers.add(kNames[i], sections[i].offset, sections[i].bytes);
    headers.add(".debug_addr", addresses_at, addresses.size());
    headers.add(".shstrtab", names_at, headers.names().size(), SHT_STRTAB);
    const uint64_t table_at = aligned(names_at + headers.names().size(), kAlignment);
    const size_t bytes = table_at + sizeof headers.table();

    void* place = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (place == MAP_FAILED) return nullptr;
    std::unique_ptr<UnitImage> image(new UnitImage(static_cast<unsigned char*>(place), bytes));
    if (mmap(place, file_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED | MAP_NORESERVE, fd, 0) == MAP_FAILED)
        return nullptr;

    if (!addresses.empty()) std::memcpy(image->image_ + addresses_at, addresses.data(), addresses.size());
    std::memcpy(image->image_ + names_at, headers.names().data(), headers.names().size());
    std::memcpy(image->image_ + table_at, headers.table().data(), sizeof headers.table());
    Elf64_Ehdr head{};
    std::memcpy(head.e_ident, ELFMAG, SELFMAG);
    head.e_ident[EI_CLASS] = ELFCLASS64;
    head.e_ident[EI_DATA] = ELFDATA2LSB;
    head.e_ident[EI_VERSION] = EV_CURRENT;
    head.e_type = ET_EXEC;
    head.e_machine = EM_X86_64;
    head.e_version = EV_CURRENT;
    head.e_ehsize = sizeof head;
    head.e_shoff = table_at;
    head.e_shentsize = sizeof(Elf64_Shdr);
    head.e_shnum = headers.count();
    head.e_shstrndx = static_cast<uint16_t>(headers.count() - 1);
    std::memcpy(image->image_, &head, sizeof head);
    return image->open(id) ? std::move(image) : nullptr;
}

bool UnitImage::open(uint64_t id) {
    elf_ = elf_memory(reinterpret_cast<char*>(image_), bytes_);
    if (elf_ == nullptr) return false;
    dwarf_ = dwarf_begin_elf(elf_, DWARF_C_READ, nullptr);
    Dwarf_CU* cu = nullptr;
    uint64_t found = 0;
    return dwarf_ != nullptr && dwarf_get_units(dwarf_, nullptr, &cu, nullptr, nullptr, &root_, nullptr) == 0 &&
           dwarf_cu_info(cu, nullptr, nullptr, nullptr, nullptr, &found, nullptr, nullptr) == 0 && found == id;
}

UnitImage::~UnitImage() {
    dwarf_end(dwarf_);
    elf_end(elf_);
    munmap(image_, bytes_);
}

}  // namespace fnprof::symbol
