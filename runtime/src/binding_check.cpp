// How a binding is found out:
//   1. The program's dynamic section (auxiliary vector -> program headers -> PT_DYNAMIC) holds DT_DEBUG, the address of the
//      loader's r_debug and with it the list of modules. A static program has none, and needs no check.
//   2. In each module: does its string table have the hook's name, which symbol has that name, is it defined or wanted?
//   3. In each module that wants it: which address do the relocations for that symbol have in their slots? A definition of
//      another module there is what is looked for. Anything else (our own; a slot that was never used and leads back into its
//      module; what an intermediary has put there) is no evidence that a call was missed.
#include "binding_check.h"

#include "bytes.h"
#include "diag.h"
#include "elf_format.h"
#include "loaded_modules.h"
#include "sys.h"

extern "C" void fnprof_enter(void* function, void* call_site);

namespace fnprof::rt {

namespace {

constexpr char kHook[] = "__cyg_profile_func_enter";

struct Debug {
    int32_t version;
    uint32_t padding;
    uint64_t first;
};

// The loader's list of modules: its first element, or 0.
uint64_t first_module() {
    long fd = sys::open("/proc/self/auxv", sys::kORdonly);
    if (sys::failed(fd)) return 0;
    constexpr uint64_t kProgramHeaders = 3, kProgramHeaderCount = 5;
    struct {
        uint64_t type, value;
    } vector[64];
    long got = sys::read(static_cast<int>(fd), vector, sizeof vector);
    sys::close(static_cast<int>(fd));
    if (sys::failed(got)) return 0;
    uint64_t headers = 0, count = 0;
    for (size_t i = 0; i < static_cast<size_t>(got) / sizeof vector[0]; i++) {
        if (vector[i].type == kProgramHeaders) headers = vector[i].value;
        if (vector[i].type == kProgramHeaderCount) count = vector[i].value;
    }
    constexpr uint32_t kDynamicSegment = 2, kHeadersSegment = 6;
    uint64_t bias = 0, dynamic = 0;
    visit_array<elf::ProgramHeader>(headers, count, [&](const elf::ProgramHeader& header, uint64_t) {
        if (header.type == kHeadersSegment) bias = headers - header.address;
        if (header.type == kDynamicSegment) dynamic = header.address;
        return false;
    });
    if (dynamic == 0) return 0;
    DynamicTables tables;
    read_dynamic(bias + dynamic, bias, tables);
    Debug debug;
    return tables.debug != 0 && read_one(tables.debug, debug) ? debug.first : 0;
}

// Where the string table has the hook's name; 0 if it has not.
uint64_t find_name(const DynamicTables& tables) {
    constexpr size_t kWindow = 16384;
    constexpr uint64_t kMostBytes = uint64_t{1} << 30;
    char window[kWindow];
    uint64_t bytes = tables.string_bytes < kMostBytes ? tables.string_bytes : kMostBytes;
    for (uint64_t at = 0; at + sizeof kHook < bytes;) {
        uint64_t left = bytes - at;
        size_t got = read_some(tables.strings + at, window, static_cast<size_t>(left < kWindow ? left : kWindow));
        if (got <= sizeof kHook) return 0;
        // Each name follows the terminator of another one; the table begins with one.
        for (size_t i = 0; i + sizeof kHook < got; i++)
            if (window[i] == 0 && window[i + 1] == '_' && equal_bytes(window + i + 1, kHook, sizeof kHook)) return at + i + 1;
        at += got - sizeof kHook;
    }
    return 0;
}

// A module with a symbol of the hook's name.
struct Party {
    LoadedModule module;
    DynamicTables tables;
    uint64_t symbol;      // index
    uint64_t definition;  // run-time address; 0: wanted
};

bool find_symbol(const DynamicTables& tables, uint64_t bias, uint64_t name, Party& party) {
    // No table says how long it is. The strings usually follow; when they do not, reading ends at the mapping's end.
    constexpr uint64_t kMostSymbols = 4u << 20;
    uint64_t count = tables.strings > tables.symbols ? (tables.strings - tables.symbols) / sizeof(elf::Symbol) : kMostSymbols;
    bool found = false;
    visit_array<elf::Symbol>(tables.symbols, count < kMostSymbols ? count : kMostSymbols, [&](const elf::Symbol& symbol, uint64_t index) {
        if (symbol.name != name || symbol.info >> 4 == elf::kLocal) return false;
        party.symbol = index;
        party.definition = symbol.section == elf::kUndefined ? 0 : bias + symbol.value;
        found = true;
        return true;
    });
    return found;
}

constexpr size_t kMostParties = 64;

size_t find_parties(Party* parties) {
    size_t count = 0;
    visit_modules(first_module(), 0, [&](uint64_t, const LoadedModule& module) {
        Party& party = parties[count];
        party.module = module;
        if (module.dynamic == 0) return false;
        read_dynamic(module.dynamic, module.bias, party.tables);
        uint64_t name = find_name(party.tables);
        if (name != 0 && find_symbol(party.tables, module.bias, name, party)) count++;
        return count == kMostParties;
    });
    return count;
}

// The module to whose definition the hook of `wanting` is bound; null: ours, not bound, or not to be known.
const Party* bound_to(const Party& wanting, const Party* parties, size_t count) {
    const Party* found = nullptr;
    visit_relocations(wanting.tables, [&](const elf::Relocation& relocation) {
        if (relocation.symbol != wanting.symbol || (relocation.type != elf::kGlobalData && relocation.type != elf::kJumpSlot)) return false;
        uint64_t bound = 0;
        if (!read_one(wanting.module.bias + relocation.offset, bound)) return false;
        for (size_t i = 0; i < count; i++)
            if (parties[i].definition != 0 && parties[i].definition == bound) found = &parties[i];
        return found != nullptr;
    });
    return found;
}

struct ModuleName {
    char text[256];

    explicit ModuleName(const Party& party) {
        size_t got = read_some(party.module.name, text, sizeof text - 1);
        text[got] = 0;
        if (text[0] != 0) return;
        // The loader has no name for the program.
        long length = sys::readlink("/proc/self/exe", text, sizeof text - 1);
        text[sys::failed(length) ? 0 : length] = 0;
    }

    // A copy of this library: what is bound to it is recorded.
    bool is_fnprof() const {
        const char* base = text;
        for (const char* c = text; *c != 0; c++)
            if (*c == '/') base = c + 1;
        return starts_with(base, "libfnprof.so");
    }
};

void report(const Party* parties, size_t count) {
    const char* library = "libfnprof.so.0";
    ModuleName ours(parties[0]);
    for (size_t i = 0; i < count; i++) {
        if (parties[i].definition != reinterpret_cast<uint64_t>(&fnprof_enter)) continue;
        ours = ModuleName(parties[i]);
        library = ours.text;
    }
    DiagLine line;
    bool any = false;
    for (size_t i = 0; i < count; i++) {
        if (parties[i].definition != 0) continue;
        const Party* other = bound_to(parties[i], parties, count);
        if (other == nullptr) continue;
        ModuleName hooks(*other);
        if (hooks.is_fnprof() || other->definition == reinterpret_cast<uint64_t>(&fnprof_enter)) continue;
        if (!any) line.add("not recorded, for want of -lfnprof when linked (or run with LD_PRELOAD=").add(library).add("): ");
        line.add(any ? ", " : "").add(ModuleName(parties[i]).text).add(" (calls the hooks of ").add(hooks.text).add(")");
        any = true;
    }
    if (any) line.write();
}

Party g_parties[kMostParties];

}  // namespace

void check_bindings() {
    size_t count = find_parties(g_parties);
    if (count != 0) report(g_parties, count);
}

}  // namespace fnprof::rt
