#include "loaded_modules.h"

#include "bytes.h"

namespace fnprof::rt {

namespace {

constexpr uint64_t kMostSymbols = 4u << 20;
constexpr uint16_t kHiddenVersion = 0x8000;

// The hash of the GNU extension: that of names in DT_GNU_HASH.
uint32_t gnu_hash(const char* name) {
    uint32_t hash = 5381;
    for (; *name != 0; name++) hash = hash * 33 + static_cast<uint8_t>(*name);
    return hash;
}

// Whether others can bind to this symbol by the name alone.
bool is_offered(const DynamicTables& tables, uint64_t index, const elf::Symbol& symbol, const char* name) {
    const unsigned type = symbol.info & 15, binding = symbol.info >> 4;
    if (symbol.section == elf::kUndefined || binding == elf::kLocal || (type != elf::kFunction && type != elf::kNoType)) return false;
    if (!is_text_at(tables.strings + symbol.name, name)) return false;
    uint16_t version = 0;
    return tables.versions == 0 || (read_one(tables.versions + index * sizeof version, version) && (version & kHiddenVersion) == 0);
}

// The chain of symbols that may have the name: index of the first, 0 when there is none.
struct GnuChain {
    uint64_t first, words;  // words: where the hash of symbol 0 would be
};
GnuChain find_chain(uint64_t table, uint32_t hash) {
    struct {
        uint32_t buckets, first_symbol, filter_words, filter_shift;
    } header;
    if (!read_one(table, header) || header.buckets == 0 || header.filter_words == 0) return {};
    uint64_t filter;
    if (!read_one(table + sizeof header + hash / 64 % header.filter_words * sizeof filter, filter)) return {};
    if ((filter >> hash % 64 & filter >> (hash >> header.filter_shift % 32) % 64 & 1) == 0) return {};
    const uint64_t buckets = table + sizeof header + header.filter_words * sizeof filter;
    uint32_t first = 0;
    if (!read_one(buckets + hash % header.buckets * sizeof first, first) || first < header.first_symbol) return {};
    return {first, buckets + (uint64_t{header.buckets} - header.first_symbol) * sizeof first};
}

}  // namespace

void read_dynamic(uint64_t dynamic, uint64_t bias, DynamicTables& tables) {
    constexpr uint64_t kMostEntries = 512;
    tables = {};
    // glibc writes run-time addresses into most dynamic sections; the vdso's, and other loaders', keep the file's.
    auto address = [bias](uint64_t value) { return value < bias ? value + bias : value; };
    visit_array<elf::Dynamic>(dynamic, kMostEntries, [&](const elf::Dynamic& entry, uint64_t) {
        switch (entry.tag) {
            case elf::kDynamicEnd: return true;
            case elf::kDynamicStrings: tables.strings = address(entry.value); break;
            case elf::kDynamicStringBytes: tables.string_bytes = entry.value; break;
            case elf::kDynamicSymbolTable: tables.symbols = address(entry.value); break;
            case elf::kDynamicVersions: tables.versions = address(entry.value); break;
            case elf::kDynamicHash: tables.hash = address(entry.value); break;
            case elf::kDynamicGnuHash: tables.gnu_hash = address(entry.value); break;
            case elf::kDynamicRelocations: tables.relocations = address(entry.value); break;
            case elf::kDynamicRelocationBytes: tables.relocation_bytes = entry.value; break;
            case elf::kDynamicPltRelocations: tables.plt_relocations = address(entry.value); break;
            case elf::kDynamicPltRelocationBytes: tables.plt_relocation_bytes = entry.value; break;
            case elf::kDynamicDebug: tables.debug = entry.value; break;
            default: break;
        }
        return false;
    });
}

bool is_text_at(uint64_t from, const char* text) {
    char found[64];
    const size_t bytes = text_length(text) + 1;
    return bytes <= sizeof found && read_some(from, found, bytes) == bytes && equal_bytes(found, text, bytes);
}

uint64_t definition_in(const LoadedModule& module, const char* name) {
    if (module.dynamic == 0) return 0;
    DynamicTables tables;
    read_dynamic(module.dynamic, module.bias, tables);
    elf::Symbol symbol;
    if (tables.gnu_hash != 0) {
        const uint32_t hash = gnu_hash(name);
        const GnuChain chain = find_chain(tables.gnu_hash, hash);
        uint32_t word = 0;
        // The last symbol of a chain has an odd hash, and the lowest bit is no part of any.
        for (uint64_t i = chain.first; i != 0 && i < kMostSymbols && (word & 1) == 0; i++) {
            if (!read_one(chain.words + i * sizeof word, word)) break;
            if ((word | 1) == (hash | 1) && read_one(tables.symbols + i * sizeof symbol, symbol) && is_offered(tables, i, symbol, name))
                return module.bias + symbol.value;
        }
        return 0;
    }
    struct {
        uint32_t buckets, symbols;
    } header{};
    uint64_t found = 0;
    if (tables.hash == 0 || !read_one(tables.hash, header)) return 0;
    visit_array<elf::Symbol>(tables.symbols, header.symbols < kMostSymbols ? header.symbols : kMostSymbols,
                             [&](const elf::Symbol& candidate, uint64_t index) {
                                 if (is_offered(tables, index, candidate, name)) found = module.bias + candidate.value;
                                 return found != 0;
                             });
    return found;
}

}  // namespace fnprof::rt
