#include "symbols.h"

#include "bytes.h"
#include "symbol_table.h"

namespace fnprof::rt {

namespace {

// The best symbol so far for a function of the set; parallel to the set's places. rank 0: none.
struct Candidate {
    uint32_t name;  // offset in the string table
    uint32_t bytes;
    uint32_t rank;
};

// A function whose address is a slot through which an ifunc is called, and the best symbol so far for what is behind it.
struct IndirectFunction {
    uint64_t resolver;  // as in the file
    size_t place;       // in the set
    Candidate best;
};

constexpr size_t kMaxNameBytes = 1 << 20;
constexpr size_t kSymbolsPerRead = 8192;

// Names of the string table. Read whole when many are wanted, else one by one.
class Names {
  public:
    Names(const ElfSource& source, const SymbolTable& table, size_t wanted) : source_(source), table_(table) {
        constexpr size_t kWorthOneRead = 1024;  // bytes of the table that cost as much as a system call
        if (table.string_bytes == 0 || table.string_bytes / kWorthOneRead > wanted) return;
        if (whole_.reserve(table.string_bytes) && source.read(table.strings, whole_.data(), table.string_bytes)) return;
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
        if (offset >= table_.string_bytes) return nullptr;
        if (whole_.data() != nullptr) {
            const char* name = reinterpret_cast<const char*>(whole_.data()) + offset;
            return find_end(name, 0, table_.string_bytes - offset, length) ? name : nullptr;
        }
        GrowingMemory& memory = single_[which];
        uint64_t left = table_.string_bytes - offset;
        for (size_t have = 0, piece = 512; have < kMaxNameBytes; piece *= 4) {
            const size_t bytes = piece < left - have ? piece : left - have;
            if (bytes == 0 || !memory.reserve(have + bytes)) return nullptr;
            if (!source_.read(table_.strings + offset + have, memory.data() + have, bytes)) return nullptr;
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
            // A byte is zero if and only if subtracting one borrows into its top bit that was clear (the lowest hit is
            // exact).
            const uint64_t hits = (word - 0x0101010101010101) & ~word & 0x8080808080808080;
            if (hits == 0) continue;
            length += static_cast<size_t>(__builtin_ctzll(hits)) / 8;
            return true;
        }
        for (; length < limit; length++)
            if (text[length] == 0) return true;
        return false;
    }

    const ElfSource& source_;
    const SymbolTable& table_;
    GrowingMemory whole_;
    GrowingMemory single_[2];
};

// How good a symbol is as a function's name, before sizes and names are looked at; 0: it names none.
uint32_t rank_of(const elf::Symbol& symbol, const Sections* sections) {
    if (symbol.section == elf::kUndefined || symbol.name == 0) return 0;
    uint32_t rank;
    switch (symbol.info & 15) {
        case elf::kFunction:
            rank = 12;
            break;
        case elf::kIfunc:
            rank = 8;
            break;
        case elf::kNoType:
            if (sections == nullptr || !sections->is_code(symbol.section)) return 0;
            rank = 4;
            break;
        default:
            return 0;
    }
    switch (symbol.info >> 4) {
        case elf::kGlobal:
        case elf::kUnique:
            return rank + 3;
        case elf::kWeak:
            return rank + 2;
        default:
            return rank + 1;
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

    // The pass over the symbols. sections: nullptr where there are none, labels without a type are not looked at then.
    void match(const ElfSource& source, const SymbolTable& table, const Sections* sections, Names& names,
               GrowingMemory& buffer) {
        for_each_symbol(source, table, buffer, [&](const elf::Symbol& symbol) {
            const uint32_t rank = rank_of(symbol, sections);
            if (rank != 0) offer(symbol, rank, names);
        });
    }

    // gcc 12 gives functions with target_clones not the address of the clone that runs but that of the slot which all callers go
    // through. No symbol is there, or one without extent that the linker made up; the ifunc's own symbol has the resolver's
    // address.
    void match_indirect(const ElfSource& source, const SymbolTable& table, const Sections& sections, Names& names,
                        GrowingMemory& buffer) {
        GrowingMemory memory;
        size_t count = 0;
        for (size_t place = 0; place < functions_.capacity(); place++) {
            const SeenFunction& function = functions_.at(place);
            if (function.address == 0 || function.module != module_.id || function.named || candidates_[place].bytes != 0) continue;
            const uint64_t resolver = sections.find_resolver(source, function.address - module_.bias);
            if (resolver == 0 || !memory.reserve((count + 1) * sizeof(IndirectFunction))) continue;
            reinterpret_cast<IndirectFunction*>(memory.data())[count++] = {resolver, place, {}};
        }
        auto* const indirect = reinterpret_cast<IndirectFunction*>(memory.data());
        if (count != 0)
            for_each_symbol(source, table, buffer, [&](const elf::Symbol& symbol) {
                if ((symbol.info & 15) != elf::kIfunc) return;
                const uint32_t rank = rank_of(symbol, &sections);
                if (rank == 0) return;
                // Its extent is the resolver's.
                const Candidate candidate{symbol.name, 0, rank};
                for (size_t i = 0; i < count; i++)
                    if (indirect[i].resolver == symbol.value && is_better(candidate, indirect[i].best, names))
                        indirect[i].best = candidate;
            });
        for (size_t i = 0; i < count; i++)
            if (indirect[i].best.rank != 0) candidates_[indirect[i].place] = indirect[i].best;
        memory.release();
    }

    // The names found.
    void write(ItemWriter& writer, Names& names, Spill spill) {
        for (size_t place = 0; place < functions_.capacity();) {
            place = write_item(writer, names, place);
            spill();
        }
    }

  private:
    // One item, of the names from `place` on; returns the first place that is not in it.
    size_t write_item(ItemWriter& writer, Names& names, size_t place) {
        constexpr size_t kEnough = 1 << 20;
        writer.begin(format::ItemType::kNames);
        writer.put(module_.id);
        const size_t count_at = writer.position();
        uint32_t count = 0;
        writer.put(count);
        for (; place < functions_.capacity() && writer.position() - count_at < kEnough; place++) {
            const Candidate& best = candidates_[place];
            size_t length = 0;
            const char* name = best.rank != 0 ? names.get(best.name, 0, length) : nullptr;
            if (name == nullptr || length == 0) continue;
            writer.put(
                format::NameEntry{functions_.at(place).address - module_.bias, best.bytes, static_cast<uint32_t>(length)});
            writer.put_bytes(name, length);
            count++;
        }
        writer.patch_u32(count_at, count);
        writer.finish();
        return place;
    }

    template <class Visit>
    static void for_each_symbol(const ElfSource& source, const SymbolTable& table, GrowingMemory& buffer, Visit visit) {
        if (!buffer.reserve(kSymbolsPerRead * sizeof(elf::Symbol))) return;
        for (uint64_t done = 0; done < table.symbol_count;) {
            const size_t some = table.symbol_count - done < kSymbolsPerRead ? table.symbol_count - done : kSymbolsPerRead;
            if (!source.read(table.symbols + done * sizeof(elf::Symbol), buffer.data(), some * sizeof(elf::Symbol))) return;
            auto* symbols = reinterpret_cast<const elf::Symbol*>(buffer.data());
            for (size_t i = 0; i < some; i++) visit(symbols[i]);
            done += some;
        }
    }

    void offer(const elf::Symbol& symbol, uint32_t rank, Names& names) {
        const SeenFunction* function = functions_.find(symbol.value + module_.bias, module_.id);
        if (function == nullptr || function->named) return;
        Candidate& best = candidates_[function - &functions_.at(0)];
        const Candidate candidate{symbol.name, symbol.bytes < UINT32_MAX ? static_cast<uint32_t>(symbol.bytes) : UINT32_MAX,
                                  rank};
        if (is_better(candidate, best, names)) best = candidate;
    }

    const Module& module_;
    FunctionSet& functions_;
    Candidate* candidates_;
};

void match_and_write(ItemWriter& writer, const ElfSource& source, const SymbolTable& table, const Sections* sections,
                     const Module& module, FunctionSet& functions, size_t wanted, Spill spill) {
    GrowingMemory candidates, buffer;
    if (candidates.reserve(functions.capacity() * sizeof(Candidate))) {
        Names names(source, table, wanted);
        Matcher matcher(module, functions, reinterpret_cast<Candidate*>(candidates.data()));
        matcher.match(source, table, sections, names, buffer);
        if (sections != nullptr) matcher.match_indirect(source, table, *sections, names, buffer);
        matcher.write(writer, names, spill);
    }
    candidates.release();
    buffer.release();
}

}  // namespace

// Context: collector, end, under the metadata lock; signal-safe. The same holds for all of this file.
void write_names(ItemWriter& writer, Modules& modules, Module& module, FunctionSet& functions, Spill spill) {
    size_t wanted = 0;
    for (size_t place = 0; place < functions.capacity(); place++) {
        const SeenFunction& function = functions.at(place);
        wanted += function.address != 0 && function.module == module.id && !function.named;
    }
    if (wanted == 0) return;
    const int fd = modules.open_file(module);
    SymbolTable table;
    if (fd >= 0) {
        const ElfSource file = ElfSource::file(fd);
        const Sections sections(file);
        if (sections.find_symbols(table)) match_and_write(writer, file, table, &sections, module, functions, wanted, spill);
    } else if (module.unload_ticks == 0) {
        // Compiled, loaded and deleted at once, as just-in-time compilers do: what is mapped has the exported names.
        const ElfSource memory = ElfSource::memory(module.start);
        if (find_mapped_symbols(memory, module, table))
            match_and_write(writer, memory, table, nullptr, module, functions, wanted, spill);
    }
    for (size_t place = 0; place < functions.capacity(); place++)
        if (functions.at(place).module == module.id) functions.at(place).named = true;
}

void write_all_names(ItemWriter& writer, Modules& modules, FunctionSet& functions, Spill spill) {
    for (uint32_t i = 0; i < modules.count(); i++)
        if (modules.at(i).has_functions) write_names(writer, modules, modules.at(i), functions, spill);
}

}  // namespace fnprof::rt
