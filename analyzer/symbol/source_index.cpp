#include "symbol/source_index.h"

#include <dwarf.h>
#include <gelf.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <utility>

namespace fnprof::symbol {
namespace {

// How many of the ranges that start before an address are tried: ranges of units hardly ever overlap, except where code
// was folded or dropped by the linker.
constexpr int kRangesTried = 8;

template <typename Visit>
void each_range(Dwarf_Die& die, Visit visit) {
    Dwarf_Addr base = 0, start = 0, end = 0;
    for (ptrdiff_t offset = 0; (offset = dwarf_ranges(&die, offset, &base, &start, &end)) > 0;)
        // Linkers leave dropped code at address 0 or with an end before its start.
        if (start != 0 && start < end) visit(start, end);
}

// Whether the definitions of functions can stand below a DIE of this kind. Local classes, and with them lambdas, have
// theirs inside of functions and blocks.
bool holds_functions(int tag) {
    switch (tag) {
        case DW_TAG_compile_unit:
        case DW_TAG_partial_unit:
        case DW_TAG_namespace:
        case DW_TAG_module:
        case DW_TAG_subprogram:
        case DW_TAG_lexical_block:
        case DW_TAG_try_block:
        case DW_TAG_catch_block:
        case DW_TAG_class_type:
        case DW_TAG_structure_type:
        case DW_TAG_union_type:
            return true;
        default:
            return false;
    }
}

std::string_view linkage_name(Dwarf_Die& die) {
    Dwarf_Attribute attribute;
    for (const unsigned name : {DW_AT_linkage_name, DW_AT_MIPS_linkage_name})
        if (const char* text = dwarf_formstring(dwarf_attr_integrate(&die, name, &attribute))) return text;
    const char* plain = dwarf_diename(&die);
    return plain == nullptr ? std::string_view() : std::string_view(plain);
}

// Clones (foo.constprop.0) share the DIE's name up to the first dot.
bool names(Dwarf_Die& die, std::string_view mangled) {
    const std::string_view name = linkage_name(die);
    return !name.empty() && mangled.starts_with(name) && (mangled.size() == name.size() || mangled[name.size()] == '.');
}

// The file that a DIE, or the DIE that it completes or is an instance of, was declared in. dwarf_decl_file does the same
// but asserts that a split unit has a line table (elfutils 0.188). Split units without a table of files use that of
// `skeleton`, which libdw cannot know where they came out of a package.
const char* declaration_file(Dwarf_Die& die, Dwarf_Die& skeleton) {
    Dwarf_Attribute attribute;
    Dwarf_Word number = 0;
    if (dwarf_formudata(dwarf_attr_integrate(&die, DW_AT_decl_file, &attribute), &number) != 0) return nullptr;
    Dwarf_Die unit;
    Dwarf_Files* files = nullptr;
    size_t count = 0;
    if (dwarf_cu_die(attribute.cu, &unit, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr) == nullptr) return nullptr;
    if (dwarf_getsrcfiles(&unit, &files, &count) != 0 && dwarf_getsrcfiles(&skeleton, &files, &count) != 0) return nullptr;
    if (number >= count) return nullptr;
    return dwarf_filesrc(files, number, nullptr, nullptr);
}

// libdw 0.188 leaves the compiler's directory out where DWARF 5 states paths relative to it.
std::string absolute_path(const char* path, Dwarf_Die& unit) {
    Dwarf_Attribute attribute;
    const char* directory = dwarf_formstring(dwarf_attr(&unit, DW_AT_comp_dir, &attribute));
    const std::filesystem::path whole = directory == nullptr ? path : std::filesystem::path(directory) / path;
    return whole.lexically_normal().string();
}

std::optional<uint64_t> address_base(Dwarf_Die& skeleton) {
    Dwarf_Attribute attribute;
    Dwarf_Word base = 0;
    for (const unsigned name : {DW_AT_addr_base, DW_AT_GNU_addr_base})
        if (dwarf_formudata(dwarf_attr(&skeleton, name, &attribute), &base) == 0) return base;
    return std::nullopt;
}

std::span<const unsigned char> section_content(Elf* elf, const char* wanted) {
    size_t names = 0;
    if (elf_getshdrstrndx(elf, &names) != 0) return {};
    for (Elf_Scn* section = elf_nextscn(elf, nullptr); section != nullptr; section = elf_nextscn(elf, section)) {
        GElf_Shdr header;
        const char* name = gelf_getshdr(section, &header) == nullptr ? nullptr : elf_strptr(elf, names, header.sh_name);
        if (name == nullptr || std::strcmp(name, wanted) != 0) continue;
        const Elf_Data* data = elf_rawdata(section, nullptr);
        if (data == nullptr || data->d_buf == nullptr) return {};
        return {static_cast<const unsigned char*>(data->d_buf), data->d_size};
    }
    return {};
}

}  // namespace

SourceIndex::SourceIndex(const ElfFile& file, std::vector<std::string> packages)
    : file_(&file), dwarf_(dwarf_begin_elf(file.handle(), DWARF_C_READ, nullptr)), package_paths_(std::move(packages)) {
    if (dwarf_ == nullptr) return;
    Dwarf_CU* cu = nullptr;
    Dwarf_Die die;
    while (dwarf_get_units(dwarf_, cu, &cu, nullptr, nullptr, &die, nullptr) == 0) {
        if (dwarf_tag(&die) != DW_TAG_compile_unit && dwarf_tag(&die) != DW_TAG_skeleton_unit) continue;
        const auto number = static_cast<uint32_t>(units_.size());
        const size_t before = ranges_.size();
        each_range(die, [&](uint64_t start, uint64_t end) { ranges_.push_back({start, end, number}); });
        if (ranges_.size() == before) rangeless_.push_back(number);
        units_.push_back({die, false, {}});
    }
    std::ranges::sort(
        ranges_, [](const Range& a, const Range& b) { return a.start != b.start ? a.start < b.start : a.unit < b.unit; });
}

SourceIndex::~SourceIndex() { dwarf_end(dwarf_); }

void SourceIndex::index(Unit& unit) {
    unit.indexed = true;
    Dwarf_Die root = unit.die, split;
    // An error leaves the skeleton: it has no functions, and the line table answers.
    if (dwarf_cu_info(unit.die.cu, nullptr, nullptr, nullptr, &split, nullptr, nullptr, nullptr) == 0 &&
        dwarf_tag(&split) > 0 && split.addr != nullptr)
        root = split;
    else if (const auto in_package = packaged(unit))
        root = *in_package;

    // Siblings are walked in place; `pending` holds the parents whose children are still to be seen.
    std::vector<Dwarf_Die> pending{root};
    while (!pending.empty()) {
        Dwarf_Die parent = pending.back(), die;
        pending.pop_back();
        for (int status = dwarf_child(&parent, &die); status == 0;) {
            const int tag = dwarf_tag(&die);
            if (tag == DW_TAG_subprogram)
                each_range(die, [&](uint64_t start, uint64_t end) { unit.functions.push_back({start, end, die}); });
            if (holds_functions(tag) && dwarf_haschildren(&die) > 0) pending.push_back(die);
            Dwarf_Die next;
            status = dwarf_siblingof(&die, &next);
            die = next;
        }
    }
    std::ranges::stable_sort(unit.functions, {}, &Function::start);
}

// Of a unit whose DIEs are elsewhere and in no .dwo file.
std::optional<Dwarf_Die> SourceIndex::packaged(Unit& unit) {
    uint8_t type = 0;
    uint64_t id = 0;
    if (dwarf_cu_info(unit.die.cu, nullptr, &type, nullptr, nullptr, &id, nullptr, nullptr) != 0 || type != DW_UT_skeleton)
        return std::nullopt;
    for (const std::string& path : std::exchange(package_paths_, {}))
        if (auto package = DwoPackage::open(path)) packages_.push_back(std::move(package));
    for (const auto& package : packages_)
        if (const auto root = package->unit(id, addresses_of(unit))) return root;
    return std::nullopt;
}

// A unit's part of .debug_addr, up to the next one's.
std::span<const unsigned char> SourceIndex::addresses_of(Unit& unit) {
    if (address_bases_.empty()) {
        for (Unit& one : units_)
            if (const auto base = address_base(one.die)) address_bases_.push_back(*base);
        std::ranges::sort(address_bases_);
    }
    const auto all = section_content(file_->handle(), ".debug_addr");
    const auto base = address_base(unit.die);
    if (!base || *base > all.size()) return {};
    const auto next = std::ranges::upper_bound(address_bases_, *base);
    const uint64_t end = next == address_bases_.end() ? all.size() : std::min<uint64_t>(*next, all.size());
    return all.subspan(*base, end - *base);
}

std::vector<uint32_t> SourceIndex::units_around(uint64_t address) const {
    std::vector<uint32_t> out;
    auto range = std::ranges::upper_bound(ranges_, address, {}, &Range::start);
    for (int tried = 0; range != ranges_.begin() && tried < kRangesTried; ++tried)
        if (--range; address < range->end) out.push_back(range->unit);
    return out.empty() ? rangeless_ : out;
}

const SourceIndex::Function* SourceIndex::best_function(const Unit& unit, uint64_t address, std::string_view mangled,
                                                        bool& exact) const {
    const auto first = std::ranges::lower_bound(unit.functions, address, {}, &Function::start);
    const auto last = std::ranges::upper_bound(unit.functions, address, {}, &Function::start);
    exact = first != last;
    for (auto function = first; function != last; ++function)
        if (Dwarf_Die die = function->die; names(die, mangled)) return &*function;
    if (exact) return &*first;
    // No function starts there: the one around it.
    for (auto before = first; before != unit.functions.begin();)
        if (--before; address < before->end) return &*before;
    return nullptr;
}

Place SourceIndex::find(uint64_t address, std::string_view mangled) {
    if (dwarf_ == nullptr) return {};
    const Function* best = nullptr;
    const Unit* in = nullptr;
    for (const uint32_t number : units_around(address)) {
        Unit& unit = units_[number];
        if (!unit.indexed) index(unit);
        if (in == nullptr) in = &unit;
        bool exact = false;
        const Function* function = best_function(unit, address, mangled, exact);
        if (function == nullptr || (best != nullptr && !exact)) continue;
        best = function;
        in = &unit;
        if (Dwarf_Die die = function->die; exact && names(die, mangled)) break;
    }
    Place place;
    if (in == nullptr) return place;
    Dwarf_Die die = in->die;
    if (best != nullptr) {
        Dwarf_Die function = best->die;
        const char* file = declaration_file(function, die);
        int line = 0;
        if (file != nullptr && dwarf_decl_line(&function, &line) == 0 && line > 0)
            return {absolute_path(file, die), static_cast<uint32_t>(line)};
    }
    Dwarf_Line* row = dwarf_getsrc_die(&die, address);
    int line = 0;
    const char* file = row == nullptr ? nullptr : dwarf_linesrc(row, nullptr, nullptr);
    if (file != nullptr && dwarf_lineno(row, &line) == 0 && line > 0)
        place = {absolute_path(file, die), static_cast<uint32_t>(line)};
    return place;
}

}  // namespace fnprof::symbol
