// How the next definition for a caller is found:
//   1. For modules that came with the program, as the loader would: the first one behind us in the list of those modules.
//   2. For a plugin: the library that it is bound to. A module's references to a C++ library and its unwinder lead all to the same
//      ones; those to functions that are not wrapped show to which, whatever scope the plugin was given.
//   3. Failing that (they are bound late, or the plugin has no other), what the program sees, then what the plugin asked for,
//      level by level, then any.
#include "next_definition.h"

#include "bytes.h"
#include "diag.h"
#include "loaded_modules.h"
#include <dlfcn.h>

namespace fnprof::rt {

namespace {

// The loader's entry for the module at an address, from its lock-free index; null when there is none.
using Entry = LoadedModule;
const Entry* entry_at(uint64_t address) { return reinterpret_cast<const Entry*>(address); }
const Entry* entry_of(const dl_find_object& place) { return reinterpret_cast<const Entry*>(place.dlfo_link_map); }
const Entry* entry_of(uint64_t address) {
    dl_find_object place;
    return _dl_find_object(reinterpret_cast<void*>(address), &place) == 0 ? entry_of(place) : nullptr;
}

uint64_t to_word(const Entry* entry) { return reinterpret_cast<uint64_t>(entry); }

const Entry* own_entry() { return entry_of(reinterpret_cast<uint64_t>(&own_entry)); }

// The last part of a path, as far as names are compared.
struct BaseName {
    explicit BaseName(uint64_t path) {
        text[read_some(path, text, sizeof text - 1)] = 0;
        const char* base = text;
        for (const char* c = text; *c != 0; c++)
            if (*c == '/') base = c + 1;
        size_t length = text_length(base) + 1;
        for (size_t i = 0; i < length; i++) text[i] = base[i];
    }
    char text[200];
};

// Calls visit(address of a name) for each library that the module asks for, until it returns true.
template <class Visit>
void visit_needed(const LoadedModule& module, Visit visit) {
    constexpr uint64_t kMostEntries = 512;
    if (module.dynamic == 0) return;
    DynamicTables tables;
    read_dynamic(module.dynamic, module.bias, tables);
    elf::Dynamic entry;
    for (uint64_t i = 0; i < kMostEntries && read_one(module.dynamic + i * sizeof entry, entry) && entry.tag != elf::kDynamicEnd; i++)
        if (entry.tag == elf::kDynamicNeeded && visit(tables.strings + entry.value)) return;
}

// The loader's list begins with what came with the program, in the order in which symbols are searched. None of it ever goes.
struct WithProgram {
    const Entry* first;  // of our own namespace: dlmopen makes others, with a copy of this library each
    const Entry* last;
    bool us;  // this library came with it, not with a plugin

    bool has(const Entry* entry) const {
        for (const Entry* one = first; one != nullptr; one = entry_at(one->next)) {
            if (one == entry) return true;
            if (one == last) break;
        }
        return false;
    }
};
WithProgram g_with_program;

// Everything in there is needed by something before it, or was preloaded and so stands before what the program needs. Looked at
// in our constructor, or in that of another library which calls a wrapped function before: the list does not change then.
void find_what_came_with_program() {
    const Entry* own = own_entry();
    const Entry* first = own;
    while (first != nullptr && first->previous != 0) first = entry_at(first->previous);
    const Entry* last = first;
    bool us = false;
    for (const Entry* one = first; one != nullptr; one = entry_at(one->next)) {
        us = us || one == own;
        LoadedModule module;
        if (!read_one(to_word(one), module)) break;
        visit_needed(module, [&](uint64_t name) {
            BaseName needed(name);
            for (const Entry* other = entry_at(last->next); other != nullptr; other = entry_at(other->next))
                if (equal_text(BaseName(other->name).text, needed.text)) last = other;
            return false;
        });
        if (one == last) break;
    }
    g_with_program = {first, last, us};
}

const WithProgram& with_program() {
    if (g_with_program.first == nullptr) find_what_came_with_program();
    return g_with_program;
}

// The first definition in a part of the list, from `entry` to `last` (null: to the end), but ours.
uint64_t find_in_list(const char* name, const Entry* entry, const Entry* last) {
    if (entry == nullptr) return 0;
    const uint64_t own = to_word(own_entry());
    uint64_t found = 0;
    visit_modules(to_word(entry), entry->previous, [&](uint64_t one, const LoadedModule& module) {
        if (one != own) found = definition_in(module, name);
        return found != 0 || one == to_word(last);
    });
    return found;
}

uint64_t find_with_program(const char* name) {
    const WithProgram& all = with_program();
    const Entry* own = own_entry();
    if (all.us && own != all.last)
        if (uint64_t found = find_in_list(name, entry_at(own->next), all.last)) return found;
    return find_in_list(name, all.first, all.last);
}

// The definition in the library that the module is bound to.
uint64_t find_where_bound(const char* name, const LoadedModule& module, const Entry* entry) {
    constexpr const char* kFamilies[] = {"__cxa_", "__gxx_", "_Unwind_"};
    DynamicTables tables;
    read_dynamic(module.dynamic, module.bias, tables);
    uint64_t found = 0;
    visit_relocations(tables, [&](const elf::Relocation& relocation) {
        const bool address = relocation.type == elf::kJumpSlot || relocation.type == elf::kGlobalData || relocation.type == elf::kAddress;
        if (!address || relocation.symbol == 0) return false;
        elf::Symbol symbol;
        char beginning[9] = {};
        if (!read_one(tables.symbols + relocation.symbol * sizeof symbol, symbol)) return false;
        read_some(tables.strings + symbol.name, beginning, sizeof beginning - 1);
        bool related = false;
        for (const char* family : kFamilies) related = related || starts_with(beginning, family);
        uint64_t bound = 0;
        if (!related || !read_one(module.bias + relocation.offset, bound)) return false;
        const Entry* other = entry_of(bound);
        // A slot that was not used yet leads back into its module.
        const bool unused = other == entry && (symbol.section == elf::kUndefined || bound != module.bias + symbol.value);
        LoadedModule library;
        if (other == nullptr || other == own_entry() || unused || !read_one(to_word(other), library)) return false;
        found = definition_in(library, name);
        return found != 0;
    });
    return found;
}

// Among the libraries so many levels below the module.
uint64_t find_among_needed(const char* name, const LoadedModule& module, int level) {
    const uint64_t own = to_word(own_entry());
    uint64_t found = 0;
    visit_needed(module, [&](uint64_t wanted) {
        BaseName needed(wanted);
        visit_modules(to_word(with_program().first), 0, [&](uint64_t entry, const LoadedModule& library) {
            if (!equal_text(BaseName(library.name).text, needed.text)) return false;
            if (entry != own) found = level == 1 ? definition_in(library, name) : find_among_needed(name, library, level - 1);
            return true;
        });
        return found != 0;
    });
    return found;
}

uint64_t find_for_plugin(const char* name, const Entry* entry, uint64_t programs) {
    constexpr int kLevels = 3;
    LoadedModule module;
    if (entry != nullptr && read_one(to_word(entry), module)) {
        if (uint64_t found = find_where_bound(name, module, entry)) return found;
        if (programs != 0) return programs;
        if (entry != own_entry())
            if (uint64_t found = definition_in(module, name)) return found;
        for (int level = 1; level <= kLevels; level++)
            if (uint64_t found = find_among_needed(name, module, level)) return found;
    }
    return programs != 0 ? programs : find_in_list(name, with_program().first, nullptr);
}

uint64_t ask_loader(const char* name) {
    const auto found = reinterpret_cast<uint64_t>(dlsym(RTLD_NEXT, name));
    return found != 0 && entry_of(found) != own_entry() ? found : 0;
}

// Says what is missing. A program that was linked with libfnprof.so.0 itself instead of -lfnprof, and with -static-libstdc++ or
// -static-libgcc, has no other definition: there is nothing to go on to, and no way back.
[[noreturn]] void die(const char* name) {
    DiagLine().add(name).add(" has no definition but fnprof's: the program must be linked with -lfnprof, not with libfnprof.so.0").write();
    const uint64_t abort = sys::signal_bit(sys::kSigAbrt);
    sys::sigprocmask(sys::kSigUnblock, &abort, nullptr);
    sys::tgkill(sys::getpid(), sys::gettid(), sys::kSigAbrt);
    for (;;) __builtin_trap();
}

// What tells a module from another one at the same addresses.
uint64_t fingerprint(const dl_find_object& place) {
    constexpr uint64_t kMultiplier = 0x9E3779B97F4A7C15;
    uint64_t mixed = 0;
    const uint64_t parts[] = {reinterpret_cast<uint64_t>(place.dlfo_map_start), reinterpret_cast<uint64_t>(place.dlfo_map_end),
                              reinterpret_cast<uint64_t>(place.dlfo_eh_frame), entry_of(place)->dynamic};
    for (uint64_t part : parts) {
        mixed = (mixed ^ part) * kMultiplier;
        mixed ^= mixed >> 29;
    }
    return mixed;
}

}  // namespace

void NextDefinition::resolve() {
    uint64_t found = find_with_program(name_);
    if (found == 0) found = find_in_list(name_, with_program().first, nullptr);
    if (found == 0) found = ask_loader(name_);
    found_.store(found, std::memory_order_relaxed);
}

uint64_t NextDefinition::find() {
    if (found_.load(std::memory_order_relaxed) == 0) resolve();
    const uint64_t found = found_.load(std::memory_order_relaxed);
    if (found == 0) die(name_);
    return found;
}

void NextDefinitionOfModule::resolve() { with_program_ = find_with_program(name_); }

uint64_t NextDefinitionOfModule::find(const void* caller) {
    dl_find_object place;
    const bool known_place = _dl_find_object(const_cast<void*>(caller), &place) == 0;
    const uint64_t print = known_place ? fingerprint(place) : 0;
    Known& known = known_[print / kKnown % kKnown];
    uint64_t found = known.found.load(std::memory_order_relaxed), start = known.start.load(std::memory_order_relaxed);
    if (found != 0 && known.check.load(std::memory_order_relaxed) == (print ^ found ^ start)) {
        dl_find_object now;
        if (found == with_program_) return found;
        if (_dl_find_object(reinterpret_cast<void*>(found), &now) == 0 && reinterpret_cast<uint64_t>(now.dlfo_map_start) == start) return found;
    }
    const bool came_with_program = known_place && with_program_ != 0 && with_program().has(entry_of(place));
    found = came_with_program ? with_program_ : find_for_plugin(name_, known_place ? entry_of(place) : nullptr, with_program_);
    if (found == 0) found = ask_loader(name_);
    if (found == 0) die(name_);
    dl_find_object library;
    start = _dl_find_object(reinterpret_cast<void*>(found), &library) == 0 ? reinterpret_cast<uint64_t>(library.dlfo_map_start) : 0;
    known.found.store(found, std::memory_order_relaxed);
    known.start.store(start, std::memory_order_relaxed);
    known.check.store(print ^ found ^ start, std::memory_order_relaxed);
    return found;
}

void NextDefinitionOfModule::forget() {
    for (Known& known : known_) known.found.store(0, std::memory_order_relaxed);
}

bool came_with_program(const void* address) {
    const Entry* entry = entry_of(reinterpret_cast<uint64_t>(address));
    return entry != nullptr && with_program().has(entry);
}

bool hands_on(uint64_t address) {
    const Entry* entry = entry_of(address);
    LoadedModule module;
    if (entry == nullptr || entry == own_entry() || !read_one(to_word(entry), module)) return false;
    // All sanitizers have this part of their common interface, in a library or (clang's) in the program.
    return definition_in(module, "__sanitizer_print_stack_trace") != 0 || definition_in(module, "fnprof_modules_change") != 0;
}

bool is_found_first(const char* name, const void* ours) {
    bool is_ours = false;
    visit_modules(to_word(with_program().first), 0, [&](uint64_t, const LoadedModule& module) {
        const uint64_t found = definition_in(module, name);
        is_ours = found == reinterpret_cast<uint64_t>(ours);
        return found != 0;
    });
    return is_ours;
}

}  // namespace fnprof::rt
