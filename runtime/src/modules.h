// The files that are mapped as code, over time: executable, shared libraries, vdso.
//
// Never takes the loader's lock and never asks the loader: it reads /proc/self/maps, and only when an address turns up
// that lies in no known module. Facts about a module (load bias, extent, build-id) come from its file, which is opened at
// first sight since it may be deleted later; where the file is out of reach, from memory through process_vm_readv, which
// fails instead of faulting when the mapping goes away meanwhile.
//
// Modules come and go at the same addresses; each life is a module of its own with [load_ticks, unload_ticks). Load times
// are lower bounds: the last moment at which the module was seen to be absent. A file that comes back to its place, with nothing
// else there in between, goes on with the life that it had: a plugin may be loaded and unloaded any number of times.
//
// Context: collector, slow path, init, end and the dlclose wrapper, all under the metadata lock; signal-safe. Nothing here blocks on
// anything but the kernel.
#pragma once

#include "../format/layout.h"
#include "items.h"
#include "memory.h"
#include <atomic>

namespace fnprof::rt {

struct ElfImage;

struct Module {
    uint32_t id;  // from 1
    int fd;       // of the file, kept for its symbol table; -1: not open (see Modules::open_file)
    uint64_t bias;
    uint64_t start, end;
    uint64_t dev, ino;            // of the file as /proc/self/maps has it; 0 for the vdso
    uint64_t file_dev, file_ino;  // the same as fstat has it (btrfs and overlay file systems differ); 0: never opened
    uint64_t load_ticks;
    uint64_t unload_ticks;  // 0: mapped
    uint32_t path;          // offset of the path in the text arena
    uint32_t path_length;
    uint8_t build_id[32];
    uint8_t build_id_bytes;
    uint64_t bindings;  // as ElfImage has it
    bool written, unload_written;
    bool replaced;       // another one has come to its place: it will not come back
    bool has_functions;  // some were seen: its file is worth keeping
    bool found;          // by the scan under way
    bool file_due;       // its file is to be kept, but was found by the collector
};

class Modules {
  public:
    // Reads the maps for the first time. `now_ticks` counts as the load time of what appears later.
    void start(uint64_t now_ticks);

    // Scans unless that was done after `ticks`: what was not found then will not be found now. False: the maps cannot be read.
    bool refresh(uint64_t ticks, uint64_t now_ticks) { return last_scan_ticks_ >= ticks || scan(now_ticks); }
    uint64_t last_scan_ticks() const { return last_scan_ticks_; }

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
    // scan); after, to see what has gone. The former also when a module says that it has come or is about to go. Each scans.
    void before_unload(uint64_t now_ticks) { scan(now_ticks); }
    void after_unload(uint64_t now_ticks) { scan(now_ticks); }

    // Writes the items of modules that are not written yet, and their unloads: before the end of all, only of those that have been
    // replaced.
    enum class Unloads : uint8_t { kOfReplaced, kAll };
    void write_items(ItemWriter& writer, Unloads unloads);

    // In a forked child: its own maps from now on, and everything is to be written again, to its own trace.
    void restart_in_child();

    uint32_t count() const { return count_; }
    Module& at(uint32_t index) { return reinterpret_cast<Module*>(modules_.data())[index]; }
    Module* find(uint32_t id) { return id >= 1 && id <= count_ ? &at(id - 1) : nullptr; }
    const char* path(const Module& module) const { return reinterpret_cast<const char*>(texts_.data()) + module.path; }

    // A function of it was seen: from now on its file is kept open, if it can be had and the program can spare the number.
    void keep_file(Module& module);

    // A descriptor lasts only in the program's table: what the collector would have kept is kept by the next thread that comes by.
    // files_due(): any.
    bool files_due() const { return files_due_.load(std::memory_order_relaxed); }
    void keep_files();

    // The module's file for reading its symbols: the kept descriptor when it is still that file, another life's of the same
    // file, or opened again by path when that still leads to it. -1: out of reach. Stays open.
    int open_file(Module& module);

    // One scan, of a text like that of /proc/self/maps.
    void scan_text(const char* text, size_t bytes, uint64_t now_ticks);

  private:
    struct Mapping;
    bool scan(uint64_t now_ticks);
    void look_at(const Mapping& mapping, uint64_t image_start);
    void add(const Mapping& mapping, uint64_t image_start);
    bool revive(const Mapping& mapping, const ElfImage& image);
    void enter(const Module& module);
    void settle_times(uint64_t now_ticks, uint32_t old_count);
    int open_path(const Module& module);
    void keep(Module& module);
    void leave_to_program(Module& module);
    bool may_keep_another() const;

    GrowingMemory modules_;  // Module[count_], never shrinks: ids are positions
    GrowingMemory texts_;    // the paths
    GrowingMemory live_;     // uint32_t[live_count_]: positions of those that are mapped
    GrowingMemory scratch_;  // for the maps
    uint32_t* live() const { return reinterpret_cast<uint32_t*>(live_.data()); }

    uint32_t count_ = 0;
    uint32_t live_count_ = 0;
    uint32_t text_bytes_ = 0;
    std::atomic<bool> files_due_{false};
    uint64_t last_scan_ticks_ = 0;
};

}  // namespace fnprof::rt
