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

// The file that an attribute of a DIE, or of the DIE that it completes or is an instance of, names by its number. dwarf_decl_file does the same
// but asserts that a split unit has a line table (elfutils 0.188). Split units without a table of files use that of
// `skeleton`, which libdw cannot know where they came out of a package.
const char* numbered_file(Dwarf_Die& die, Dwarf_Die& skeleton, unsigned name) {
    Dwarf_Attribute attribute;
    Dwarf_Word number = 0;
    if (dwarf_formudata(dwarf_attr_integrate(&die, name, &attribute), &number) != 0) return nullptr;
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

Place place_of_number(Dwarf_Die& die, Dwarf_Die& skeleton, unsigned file_name, unsigned line_name) {
    Dwarf_Attribute attribute;
    Dwarf_Word line = 0;
    const char* file = numbered_file(die, skeleton, file_name);
    if (file == nullptr || dwarf_formudata(dwarf_attr_integrate(&die, line_name, &attribute), &line) != 0 || line == 0) return {};
    return {absolute_path(file, skeleton), static_cast<uint32_t>(line)};
}

// Where a row of the line table points to; a null row points nowhere.
Place row_place(Dwarf_Line* row, Dwarf_Die& unit) {
    int line = 0;
    const char* file = row == nullptr ? nullptr : dwarf_linesrc(row, nullptr, nullptr);
    if (file == nullptr || dwarf_lineno(row, &line) != 0 || line <= 0) return {};
    return {absolute_path(file, unit), static_cast<uint32_t>(line)};
}

// The functions inlined into one, not those inlined into them.
template <typename Visit>
void each_inlined(Dwarf_Die function, Visit visit) {
    std::vector<Dwarf_Die> pending{function};
    while (!pending.empty()) {
        Dwarf_Die parent = pending.back(), die;
        pending.pop_back();
        for (int status = dwarf_child(&parent, &die); status == 0;) {
            const int tag = dwarf_tag(&die);
            if (tag == DW_TAG_inlined_subroutine)
                visit(die);
            else if (tag == DW_TAG_lexical_block || tag == DW_TAG_try_block || tag == DW_TAG_catch_block)
                pending.push_back(die);
            Dwarf_Die next;
            status = dwarf_siblingof(&die, &next);
            die = next;
        }
    }
}

// The code in a function that was compiled from other ones.
std::vector<std::pair<uint64_t, uint64_t>> inlined_ranges(Dwarf_Die function) {
    std::vector<std::pair<uint64_t, uint64_t>> ranges;
    each_inlined(function, [&](Dwarf_Die& die) { each_range(die, [&](uint64_t start, uint64_t end) { ranges.emplace_back(start, end); }); });
    return ranges;
}

// What is inlined into a function, at `address`.
std::optional<Dwarf_Die> inlined_at(Dwarf_Die function, uint64_t address) {
    std::optional<Dwarf_Die> found;
    each_inlined(function, [&](Dwarf_Die& die) {
        if (dwarf_haspc(&die, address) == 1) found = die;
    });
    return found;
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

SourceIndex::Found SourceIndex::function_at(uint64_t address, std::string_view mangled) {
    if (dwarf_ == nullptr) return {};
    const Function* best = nullptr;
    Unit* in = nullptr;
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
    return {best, in};
}

Place SourceIndex::find(uint64_t address, std::string_view mangled) {
    const Found found = function_at(address, mangled);
    if (found.unit == nullptr) return {};
    Dwarf_Die die = found.unit->die;
    if (found.function != nullptr) {
        Dwarf_Die function = found.function->die;
        Place place = place_of_number(function, die, DW_AT_decl_file, DW_AT_decl_line);
        if (!place.file.empty()) return place;
    }
    return row_place(dwarf_getsrc_die(&die, address), die);
}

std::vector<SourceIndex::SourceFrame> SourceIndex::frames_at(uint64_t address) {
    const Found found = function_at(address, {});
    if (found.unit == nullptr) return {};
    Dwarf_Die unit = found.unit->die;
    Place line = row_place(dwarf_getsrc_die(&unit, address), unit);
    if (line.file.empty()) return {};
    if (found.function == nullptr || address >= found.function->end) return {{{}, std::move(line)}};
    std::vector<SourceFrame> frames;  // outermost first, each with the line that the next one is called from
    for (std::optional<Dwarf_Die> die = found.function->die; die;) {
        frames.push_back({std::string(linkage_name(*die)), {}});
        die = inlined_at(*die, address);
        if (die) frames.back().line = place_of_number(*die, unit, DW_AT_call_file, DW_AT_call_line);
    }
    frames.back().line = std::move(line);
    std::ranges::reverse(frames);
    return frames;
}

SourceIndex::Extent SourceIndex::extent(uint64_t address, std::string_view mangled) {
    const Place begin = find(address, mangled);
    const Found found = function_at(address, mangled);
    if (begin.file.empty() || found.function == nullptr) return {};
    const std::vector<std::pair<uint64_t, uint64_t>> inlined = inlined_ranges(found.function->die);
    Extent extent{begin.file, begin.line, begin.line};
    Dwarf_Die die = found.unit->die, function = found.function->die;
    Dwarf_Lines* lines = nullptr;
    size_t count = 0;
    if (dwarf_getsrclines(&die, &lines, &count) != 0) return extent;
    for (size_t i = 0; i < count; ++i) {
        Dwarf_Line* row = dwarf_onesrcline(lines, i);
        Dwarf_Addr at = 0;
        bool end = false;
        if (dwarf_lineaddr(row, &at) != 0 || dwarf_haspc(&function, at) != 1 || dwarf_lineendsequence(row, &end) != 0 || end) continue;
        if (std::ranges::any_of(inlined, [at](const auto& range) { return at >= range.first && at < range.second; })) continue;
        const Place place = row_place(row, die);
        if (place.file == extent.file) extent.last = std::max(extent.last, place.line);
    }
    return extent;
}

}  // namespace fnprof::symbol
