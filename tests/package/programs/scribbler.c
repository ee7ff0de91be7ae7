/* Spoils what the loader has written down about the library that this is part of, right before the program ends: the tables
 * that tell of its symbols and relocations. Built with -DKIND=number; linked into the plugin that host.c loads.
 */
#include <elf.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

extern Elf64_Dyn _DYNAMIC[] __attribute__((visibility("hidden")));

__attribute__((no_instrument_function)) static uint64_t spoiled(Elf64_Sxword tag, uint64_t value) {
    int is_size = tag == DT_STRSZ || tag == DT_RELASZ || tag == DT_PLTRELSZ;
    int is_address = tag == DT_STRTAB || tag == DT_SYMTAB || tag == DT_RELA || tag == DT_JMPREL;
    if (!is_size && !is_address) return value;
    switch (KIND) {
        case 0: return 0;
        case 1: return is_size ? UINT64_MAX : value;
        case 2: return is_size ? value + ((uint64_t)1 << 40) : value;
        case 3: return is_address ? 1 : value;
        case 4: return is_address ? UINT64_MAX - 7 : UINT64_MAX;
        case 5: return is_address ? value + 3 : value;
        default: return is_address ? (uint64_t)_DYNAMIC : UINT64_MAX / 2;
    }
}

__attribute__((no_instrument_function)) static void spoil(void) {
    uintptr_t page = (uintptr_t)_DYNAMIC & ~(uintptr_t)4095;
    if (mprotect((void *)page, 8192, PROT_READ | PROT_WRITE) != 0) abort();
    for (Elf64_Dyn *entry = _DYNAMIC; entry->d_tag != DT_NULL; entry++) entry->d_un.d_val = spoiled(entry->d_tag, entry->d_un.d_val);
}

/* Exit handlers run before the destructors of libraries. */
__attribute__((constructor, no_instrument_function)) static void at_load(void) {
    if (atexit(spoil) != 0) abort();
}
