#include "symbols.h"

#include "bytes.h"
#include "elf_format.h"
#include "elf_image.h"

namespace fnprof::rt {

namespace {

// The best symbol so far for a function of the set; parallel to the set's places. rank 0: none.
struct Candidate {
    uint32_t name;  // offset in the string table
    uint32_t bytes;
    uint32_t rank;
};

struct Table {
    elf::SectionHeader symbols, strings;
};

constexpr uint64_t kMaxSections = 65536;
constexpr size_t kMaxNameBytes = 1 << 20;
constexpr size_t kSymbolsPerRead = 8192;

// The section headers of the file; count 0 when they are not there or make no sense.
uint32_t read_sections(const ElfSource& file, GrowingMemory& to) {
    elf::Header header;
    if (!file.read(0, &header, sizeof header) || !elf::is_ours(header)) return 0;
    if (header.section_headers == 0 || header.section_header_bytes != sizeof(elf::SectionHeader)) return 0;
    uint64_t count = header.section_header_count;
    if (count == 0) {  // more than fit into 16 bits: the first header's size tells
        elf::SectionHeader first;
        if (!file.read(header.section_headers, &first, sizeof first)) return 0;
        count = first.bytes;
    }
    if (count > kMaxSections || !to.reserve(count * sizeof(elf::SectionHeader))) return 0;
    return file.read(header.section_headers, to.data(), count * sizeof(elf::SectionHeader)) ? static_cast<uint32_t>(count) : 0;
}

// .symtab if there is one, else .dynsym.
bool find_table(const elf::SectionHeader* sections, uint32_t count, Table& table) {
    const uint32_t kinds[] = {elf::kSymbolTable, elf::kDynamicSymbols};
    for (uint32_t kind : kinds)
        for (uint32_t i = 0; i < count; i++) {
            const elf::SectionHeader& section = sections[i];
            if (section.type != kind || section.entry_bytes != sizeof(elf::Symbol) || section.link >= count) continue;
            if (section.bytes < sizeof(elf::Symbol) || sections[section.link].type != elf::kStringTable) continue;
            table = {section, sections[section.link]};
            return true;
        }
    return false;
}

// Names of the string table. Read whole when many are wanted, else one by one.
class Names {
  public:
    Names(const ElfSource& file, const elf::SectionHeader& section, size_t wanted) : file_(file), section_(section) {
        constexpr size_t kWorthOneRead = 1024;  // bytes of the table that cost as much as a system call
        if (section.bytes == 0 || section.bytes / kWorthOneRead > wanted) return;
        if (whole_.reserve(section.bytes) && file.read(section.offset, whole_.data(), section.bytes)) return;
        whole_.release();
    }
    ~Names() {
        whole_.release();
        for (GrowingMemory& one : single_) one.release();
    }
    Names(const Names&) = delete;
    Names& operator=(const Names&) = delete;

    // The name at `offset`, in place `which` (0 or 1, so that two can be compared); nullptr: there is none.
    const char* get(uint32_t offset, unsigned which, size_t& length) {
        if (offset >= section_.bytes) return nullptr;
        if (whole_.data() != nullptr) {
            const char* name = reinterpret_cast<const char*>(whole_.data()) + offset;
            return find_end(name, 0, section_.bytes - offset, length) ? name : nullptr;
        }
        GrowingMemory& memory = single_[which];
        uint64_t left = section_.bytes - offset;
        for (size_t have = 0, piece = 512; have < kMaxNameBytes; piece *= 4) {
            const size_t bytes = piece < left - have ? piece : left - have;
            if (bytes == 0 || !memory.reserve(have + bytes)) return nullptr;
            if (!file_.read(section_.offset + offset + have, memory.data() + have, bytes)) return nullptr;
            const char* name = reinterpret_cast<const char*>(memory.data());
            if (find_end(name, have, have + bytes, length)) return name;
            have += bytes;
        }
        return nullptr;
    }

  private:
    static bool find_end(const char* text, size_t from, uint64_t limit, size_t& length) {
        length = from;
        for (; limit - length >= 8; length += 8) {
            uint64_t word;
            __builtin_memcpy(&word, text + length, sizeof word);
            // A byte is zero if and only if subtracting one borrows into its top bit that was clear (the lowest hit is exact).
            const uint64_t hits = (word - 0x0101010101010101) & ~word & 0x8080808080808080;
            if (hits == 0) continue;
            length += static_cast<size_t>(__builtin_ctzll(hits)) / 8;
            return true;
        }
        for (; length < limit; length++)
            if (text[length] == 0) return true;
        return false;
    }

    const ElfSource& file_;
    const elf::SectionHeader& section_;
    GrowingMemory whole_;
    GrowingMemory single_[2];
};

// How good a symbol is as a function's name, before sizes and names are looked at; 0: it names none.
uint32_t rank_of(const elf::Symbol& symbol, const elf::SectionHeader* sections, uint32_t section_count) {
    if (symbol.section == elf::kUndefined || symbol.name == 0) return 0;
    uint32_t rank;
    switch (symbol.info & 15) {
        case elf::kFunction: rank = 12; break;
        case elf::kIfunc: rank = 8; break;
        case elf::kNoType:
            if (symbol.section >= section_count || !(sections[symbol.section].flags & elf::kExecutableSection)) return 0;
            rank = 4;
            break;
        default: return 0;
    }
    switch (symbol.info >> 4) {
        case elf::kGlobal:
        case elf::kUnique: return rank + 3;
        case elf::kWeak: return rank + 2;
        default: return rank + 1;
    }
}

// Whether the first of two names is the better one: shorter, or else earlier in the alphabet.
bool is_better_name(Names& names, uint32_t offset, uint32_t than) {
    size_t length = 0, other_length = 0;
    const char* name = names.get(offset, 0, length);
    const char* other = names.get(than, 1, other_length);
    if (name == nullptr || other == nullptr) return other == nullptr;
    if (length != other_length) return length < other_length;
    for (size_t i = 0; i < length; i++)
        if (name[i] != other[i]) return static_cast<unsigned char>(name[i]) < static_cast<unsigned char>(other[i]);
    return false;
}

bool is_better(const Candidate& a, const Candidate& b, Names& names) {
    if (a.rank != b.rank) return a.rank > b.rank;
    if (a.bytes != b.bytes) return a.bytes > b.bytes;
    return is_better_name(names, a.name, b.name);
}

class Matcher {
  public:
    Matcher(const Module& module, FunctionSet& functions, Candidate* candidates)
        : module_(module), functions_(functions), candidates_(candidates) {}

    // The pass over the symbols.
    void match(const ElfSource& file, const Table& table, const elf::SectionHeader* sections, uint32_t section_count, Names& names,
               GrowingMemory& buffer) {
        if (!buffer.reserve(kSymbolsPerRead * sizeof(elf::Symbol))) return;
        const uint64_t count = table.symbols.bytes / sizeof(elf::Symbol);
        for (uint64_t done = 0; done < count;) {
            const size_t some = count - done < kSymbolsPerRead ? count - done : kSymbolsPerRead;
            if (!file.read(table.symbols.offset + done * sizeof(elf::Symbol), buffer.data(), some * sizeof(elf::Symbol))) return;
            auto* symbols = reinterpret_cast<const elf::Symbol*>(buffer.data());
            for (size_t i = 0; i < some; i++) {
                const uint32_t rank = rank_of(symbols[i], sections, section_count);
                if (rank != 0) offer(symbols[i], rank, names);
            }
            done += some;
        }
    }

    // The names found, as one item.
    void write(ItemWriter& writer, Names& names) {
        writer.begin(format::ItemType::kNames);
        writer.put(module_.id);
        const size_t count_at = writer.position();
        uint32_t count = 0;
        writer.put(count);
        for (size_t place = 0; place < functions_.capacity(); place++) {
            const Candidate& best = candidates_[place];
            size_t length = 0;
            const char* name = best.rank != 0 ? names.get(best.name, 0, length) : nullptr;
            if (name == nullptr || length == 0) continue;
            writer.put(format::NameEntry{functions_.at(place).address - module_.bias, best.bytes, static_cast<uint32_t>(length)});
            writer.put_bytes(name, length);
            count++;
        }
        writer.patch_u32(count_at, count);
        writer.finish();
    }

  private:
    void offer(const elf::Symbol& symbol, uint32_t rank, Names& names) {
        const SeenFunction* function = functions_.find(symbol.value + module_.bias, module_.id);
        if (function == nullptr || function->named) return;
        Candidate& best = candidates_[function - &functions_.at(0)];
        const Candidate candidate{symbol.name, symbol.bytes < UINT32_MAX ? static_cast<uint32_t>(symbol.bytes) : UINT32_MAX, rank};
        if (is_better(candidate, best, names)) best = candidate;
    }

    const Module& module_;
    FunctionSet& functions_;
    Candidate* candidates_;
};

void match_and_write(ItemWriter& writer, int fd, const Module& module, FunctionSet& functions, size_t wanted) {
    const ElfSource file = ElfSource::file(fd);
    GrowingMemory sections, candidates, buffer;
    const uint32_t section_count = read_sections(file, sections);
    auto* headers = reinterpret_cast<const elf::SectionHeader*>(sections.data());
    Table table;
    if (find_table(headers, section_count, table) && candidates.reserve(functions.capacity() * sizeof(Candidate))) {
        Names names(file, table.strings, wanted);
        Matcher matcher(module, functions, reinterpret_cast<Candidate*>(candidates.data()));
        matcher.match(file, table, headers, section_count, names, buffer);
        matcher.write(writer, names);
    }
    sections.release();
    candidates.release();
    buffer.release();
}

}  // namespace

// Context: collector, end, under the metadata lock; signal-safe. The same holds for all of this file.
void write_names(ItemWriter& writer, Modules& modules, Module& module, FunctionSet& functions) {
    size_t wanted = 0;
    for (size_t place = 0; place < functions.capacity(); place++) {
        const SeenFunction& function = functions.at(place);
        wanted += function.address != 0 && function.module == module.id && !function.named;
    }
    if (wanted == 0) return;
    const int fd = modules.open_file(module);
    if (fd >= 0) match_and_write(writer, fd, module, functions, wanted);
    for (size_t place = 0; place < functions.capacity(); place++)
        if (functions.at(place).module == module.id) functions.at(place).named = true;
}

void write_all_names(ItemWriter& writer, Modules& modules, FunctionSet& functions) {
    for (uint32_t i = 0; i < modules.count(); i++)
        if (modules.at(i).has_functions) write_names(writer, modules, modules.at(i), functions);
}

}  // namespace fnprof::rt
