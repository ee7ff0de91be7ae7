// The modules in memory as the dynamic loader lists them, with their symbols and bindings; read, never asked for.
//
// The loader's functions take its lock (a forked child may find that held by a thread it does not have), allocate with the
// program's malloc and replace what its dlerror() will say when they fail. The list may be in the middle of a change made by
// another thread, and tables may say anything: everything is read through process_vm_readv, which fails instead of faulting, and
// all loops are bounded.
//
// Context: any; signal-safe. Uses about 2 KiB of stack.
#pragma once

#include "elf_format.h"
#include "sys.h"
#include <cstddef>
#include <cstdint>

namespace fnprof::rt {

// The beginning of the C library's struct link_map (<link.h>).
struct LoadedModule {
    uint64_t bias, name, dynamic, next, previous;
};

// What a module's dynamic section says; 0 where it says nothing.
struct DynamicTables {
    uint64_t strings, string_bytes, symbols, versions, hash, gnu_hash;
    uint64_t relocations, relocation_bytes, plt_relocations, plt_relocation_bytes;
    uint64_t debug;
};

// As many of the bytes as can be read.
inline size_t read_some(uint64_t from, void* to, size_t bytes) {
    const long got = sys::read_memory(sys::gettid(), to, from, bytes);
    return sys::failed(got) ? 0 : static_cast<size_t>(got);
}

template <class T>
bool read_one(uint64_t from, T& to) {
    return read_some(from, &to, sizeof to) == sizeof to;
}

// Calls visit(element, index) for an array in memory until it returns true, or the array (or what is readable) ends.
template <class T, class Visit>
void visit_array(uint64_t from, uint64_t count, Visit visit) {
    constexpr size_t kBatch = 1024 / sizeof(T);
    T batch[kBatch];
    for (uint64_t done = 0; done < count;) {
        uint64_t wanted = count - done < kBatch ? count - done : kBatch;
        size_t got = read_some(from + done * sizeof(T), batch, static_cast<size_t>(wanted) * sizeof(T)) / sizeof(T);
        for (size_t i = 0; i < got; i++)
            if (visit(batch[i], done + i)) return;
        if (got < wanted) return;
        done += got;
    }
}

void read_dynamic(uint64_t dynamic, uint64_t bias, DynamicTables& tables);

// Calls visit(relocation) for each of the module's, the procedure linkage table's first, until it returns true.
template <class Visit>
void visit_relocations(const DynamicTables& tables, Visit visit) {
    bool done = false;
    auto look = [&](const elf::Relocation& relocation, uint64_t) { return done = visit(relocation); };
    visit_array<elf::Relocation>(tables.plt_relocations, tables.plt_relocation_bytes / sizeof(elf::Relocation), look);
    if (!done) visit_array<elf::Relocation>(tables.relocations, tables.relocation_bytes / sizeof(elf::Relocation), look);
}

// Whether the text at `from` is `text`.
bool is_text_at(uint64_t from, const char* text);

// The address of the function that the module offers to others by this name; 0 when it has none. Not for those that are
// chosen at load time (ifunc).
uint64_t definition_in(const LoadedModule& module, const char* name);

// The list, from one of its entries on: calls visit(address of the entry, its content) until that returns true.
template <class Visit>
void visit_modules(uint64_t entry, uint64_t previous, Visit visit) {
    constexpr int kMostModules = 1 << 16;
    LoadedModule module;
    // A list that is being changed may lead anywhere, and back.
    for (int i = 0; entry != 0 && i < kMostModules && read_one(entry, module) && module.previous == previous; i++) {
        if (visit(entry, module)) return;
        previous = entry;
        entry = module.next;
    }
}

}  // namespace fnprof::rt
