// The files that are mapped as code, over time: executable, shared libraries, vdso.
//
// Never takes the loader's lock and never asks the loader: it reads /proc/self/maps, and only when an address turns up
// that lies in no known module. Facts about a module (load bias, extent, build-id) come from its file, which is opened at
// first sight since it may be deleted later; where the file is out of reach, from memory through process_vm_readv, which
// fails instead of faulting when the mapping goes away meanwhile.
//
// Modules come and go at the same addresses; each life is a module of its own with [load_ticks, unload_ticks). Load times
// are lower bounds: the last moment at which the module was seen to be absent.
//
// Context: collector, init and the dlclose wrapper, all under the metadata lock; signal-safe. Nothing here blocks on
// anything but the kernel.
#pragma once

#include "../format/layout.h"
#include "items.h"
#include "memory.h"

namespace fnprof::rt {

struct Module {
    uint32_t id;  // from 1
    int fd;       // of the file, kept for its symbol table; -1: not open (see Modules::open_file)
    uint64_t bias;
    uint64_t start, end;
    uint64_t dev, ino;  // of the file as /proc/self/maps has it; 0 for the vdso
    uint64_t file_dev;  // the same device as fstat has it (they differ on btrfs and overlay file systems)
    uint64_t load_ticks;
    uint64_t unload_ticks;  // 0: mapped
    uint32_t path;          // offset of the path in the text arena
    uint32_t path_length;
    uint8_t build_id[32];
    uint8_t build_id_bytes;
    bool written, unload_written;
    bool named;  // its names are written for good (it is unloaded)
    bool seen;   // found in the scan under way
};

class Modules {
  public:
    // Reads the maps for the first time. `now_ticks` counts as the load time of what appears later.
    void start(uint64_t now_ticks);

    // The module that holds `address` at time `ticks`; scans when none does. 0: no file (code made at run time).
    // now_ticks: the clock, read just before the call.
    uint32_t module_of(uint64_t address, uint64_t ticks, uint64_t now_ticks);

    // Calls visit(Module&) for each module that held `address` at some time in [first_ticks, last_ticks].
    template <class Visit>
    void for_each_at(uint64_t address, uint64_t first_ticks, uint64_t last_ticks, Visit visit) {
        for (uint32_t i = 0; i < count_; i++) {
            Module& module = at(i);
            if (address >= module.start && address < module.end && module.load_ticks <= last_ticks &&
                (module.unload_ticks == 0 || module.unload_ticks >= first_ticks))
                visit(module);
        }
    }

    // Around the real dlclose: before, so that what is about to go is known (it may have come and run since the last
    // scan); after, to see what has gone. Each scans.
    void before_unload(uint64_t now_ticks) { scan(now_ticks); }
    void after_unload(uint64_t now_ticks) { scan(now_ticks); }

    // Writes the items of modules and unloads that are not written yet. Names of an unloaded module are to be written
    // before its unload: see Symbols.
    void write_items(ItemWriter& writer);

    // In a forked child: its own maps from now on, and everything is to be written again, to its own trace.
    void restart_in_child();

    uint32_t count() const { return count_; }
    Module& at(uint32_t index) { return reinterpret_cast<Module*>(modules_.data())[index]; }
    Module* find(uint32_t id) { return id >= 1 && id <= count_ ? &at(id - 1) : nullptr; }
    const char* path(const Module& module) const { return reinterpret_cast<const char*>(texts_.data()) + module.path; }

    // The module's file for reading its symbols: the kept descriptor when it is still that file, or opened again by path
    // when that still leads to the same file. -1: gone. The module keeps the descriptor.
    int open_file(Module& module);
    // Gives the descriptor back.
    void close_file(Module& module);

    // The scan as a function of a text like that of /proc/self/maps.
    void scan_text(const char* text, size_t bytes, uint64_t now_ticks);

  private:
    struct Line;
    class Scan;
    void scan(uint64_t now_ticks);

    GrowingMemory modules_;  // Module[count_], never shrinks: ids are positions
    GrowingMemory texts_;
    uint32_t count_ = 0;
};

}  // namespace fnprof::rt
