#include "symbol/dwo_package.h"

#include <gelf.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <string_view>
#include <utility>

namespace fnprof::symbol {
namespace {

constexpr std::array<std::string_view, kUnitSectionCount> kNames{".debug_info.dwo",     ".debug_abbrev.dwo",
                                                                 ".debug_line.dwo",     ".debug_str_offsets.dwo",
                                                                 ".debug_rnglists.dwo", ".debug_str.dwo"};
constexpr std::string_view kIndexName = ".debug_cu_index";

constexpr uint64_t kHeaderBytes = sizeof(Elf64_Ehdr);  // left free in the unpacked file for the unit's image

// Columns of the index by their numbers.
UnitSection column(uint32_t version, uint32_t number) {
    switch (number) {
        case 1:
            return kInfo;
        case 3:
            return kAbbrev;
        case 4:
            return kLine;
        case 6:
            return kStrOffsets;
        case 8:
            return version == 5 ? kRngLists : kUnitSectionCount;
        default:
            return kUnitSectionCount;
    }
}

bool write_all(int fd, const void* data, uint64_t bytes) {
    const char* at = static_cast<const char*>(data);
    while (bytes > 0) {
        const ssize_t written = write(fd, at, bytes);
        if (written <= 0) return false;
        at += written;
        bytes -= static_cast<uint64_t>(written);
    }
    return true;
}

// Little-endian numbers of a table; reading beyond its end gives 0 and is remembered.
class Table {
  public:
    explicit Table(std::span<const unsigned char> bytes) : bytes_(bytes) {}
    template <typename Number>
    Number number(uint64_t at) {
        Number value = 0;
        if (at > bytes_.size() || bytes_.size() - at < sizeof value) {
            whole_ = false;
            return 0;
        }
        std::memcpy(&value, &bytes_[at], sizeof value);
        return value;
    }
    uint64_t size() const { return bytes_.size(); }
    bool whole() const { return whole_; }

  private:
    std::span<const unsigned char> bytes_;
    bool whole_ = true;
};

}  // namespace

std::unique_ptr<DwoPackage> DwoPackage::open(const std::string& path) {
    auto file = ElfFile::open(path);
    if (file == nullptr) return nullptr;
    std::unique_ptr<DwoPackage> package(new DwoPackage(std::move(file)));
    return package->read_sections() ? std::move(package) : nullptr;
}

DwoPackage::~DwoPackage() {
    images_.clear();
    if (unpacked_ >= 0) close(unpacked_);
}

bool DwoPackage::read_sections() {
    Elf* elf = file_->handle();
    size_t identity_bytes = 0, names = 0;
    const char* identity = elf_getident(elf, &identity_bytes);
    struct stat status {};
    if (identity == nullptr || identity[EI_CLASS] != ELFCLASS64 || identity[EI_DATA] != ELFDATA2LSB ||
        elf_getshdrstrndx(elf, &names) != 0 || fstat(file_->fd(), &status) != 0)
        return false;
    bytes_ = static_cast<uint64_t>(status.st_size);

    // Sections are unpacked as libdw does it: their data is in memory afterwards, and only there.
    std::array<Elf_Data*, kUnitSectionCount> data{};
    std::span<const unsigned char> index;
    bool compressed = false;
    for (Elf_Scn* section = elf_nextscn(elf, nullptr); section != nullptr; section = elf_nextscn(elf, section)) {
        GElf_Shdr header;
        if (gelf_getshdr(section, &header) == nullptr || header.sh_type == SHT_NOBITS) continue;
        const char* text = elf_strptr(elf, names, header.sh_name);
        const std::string_view name = text == nullptr ? "" : text;
        const auto known = std::ranges::find(kNames, name);
        if (known == kNames.end() && name != kIndexName) continue;
        const bool packed = (header.sh_flags & SHF_COMPRESSED) != 0;
        if (packed && elf_compress(section, 0, 0) < 0) return false;
        Elf_Data* content = elf_rawdata(section, nullptr);
        if (content == nullptr || content->d_buf == nullptr) continue;
        if (known == kNames.end()) {
            index = {static_cast<const unsigned char*>(content->d_buf), content->d_size};
            continue;
        }
        const auto kind = static_cast<size_t>(known - kNames.begin());
        data[kind] = content;
        sections_[kind] = {header.sh_offset, header.sh_size};
        compressed |= packed;
    }
    if (compressed && !unpack(data)) return false;
    for (const Slice& section : sections_)
        if (section.offset > bytes_ || section.bytes > bytes_ - section.offset) return false;
    return sections_[kInfo].bytes != 0 && sections_[kAbbrev].bytes != 0 && read_index(index);
}

bool DwoPackage::unpack(const std::array<Elf_Data*, kUnitSectionCount>& data) {
    unpacked_ = memfd_create("fnprof-dwp", MFD_CLOEXEC);
    constexpr std::array<char, kHeaderBytes> kNoHeader{};
    if (unpacked_ < 0 || !write_all(unpacked_, kNoHeader.data(), kNoHeader.size())) return false;
    bytes_ = kHeaderBytes;
    for (size_t kind = 0; kind < data.size(); ++kind) {
        if (data[kind] == nullptr) continue;
        if (!write_all(unpacked_, data[kind]->d_buf, data[kind]->d_size)) return false;
        sections_[kind] = {bytes_, data[kind]->d_size};
        bytes_ += data[kind]->d_size;
    }
    return true;
}

// Header: version, columns, units, slots; then the hash table (ids, then rows), the columns' numbers, and for each unit
// a row of offsets and, in a second table, a row of sizes.
bool DwoPackage::read_index(std::span<const unsigned char> index) {
    Table table(index);
    const auto version = table.number<uint32_t>(0);
    const uint64_t columns = table.number<uint32_t>(4), rows = table.number<uint32_t>(8),
                   slots = table.number<uint32_t>(12);
    if (version != 2 && (version & 0xffff) != 5) return false;
    constexpr uint64_t kIds = 16;
    const uint64_t row_numbers = kIds + 8 * slots, numbers = row_numbers + 4 * slots;
    const uint64_t offsets = numbers + 4 * columns;
    // Either factor alone is below 2^32, and there cannot be more cells than bytes.
    if (columns > table.size() || columns * rows > table.size()) return false;
    const uint64_t sizes = offsets + 4 * columns * rows;
    for (uint64_t slot = 0; slot < slots && table.whole(); ++slot) {
        const auto row = table.number<uint32_t>(row_numbers + 4 * slot);
        if (row == 0 || row > rows) continue;
        UnitSections unit{};
        for (uint64_t i = 0; i < columns; ++i) {
            const UnitSection kind = column(version & 0xffff, table.number<uint32_t>(numbers + 4 * i));
            if (kind == kUnitSectionCount) continue;
            const uint64_t cell = 4 * ((row - 1) * columns + i);
            const uint64_t offset = table.number<uint32_t>(offsets + cell), bytes = table.number<uint32_t>(sizes + cell);
            const Slice& whole = sections_[kind];
            if (offset <= whole.bytes && bytes <= whole.bytes - offset) unit[kind] = {whole.offset + offset, bytes};
        }
        unit[kStr] = sections_[kStr];  // of all units together
        units_[table.number<uint64_t>(kIds + 8 * slot)] = unit;
    }
    return table.whole();
}

std::optional<Dwarf_Die> DwoPackage::unit(uint64_t id, std::span<const unsigned char> addresses) {
    const auto found = units_.find(id);
    if (found == units_.end()) return std::nullopt;
    const auto [image, fresh] = images_.try_emplace(id);
    if (fresh)
        image->second = UnitImage::create(unpacked_ >= 0 ? unpacked_ : file_->fd(), bytes_, found->second, addresses, id);
    return image->second == nullptr ? std::nullopt : std::optional(image->second->root());
}

}  // namespace fnprof::symbol
