// libfncount: counts how often each instrumented function is entered, and nothing else. It is the second witness of every
// comparison with fnprof, so it shares no code, no idea and no library with it: a hash table of atomic counters, exact by
// construction, without clocks, stacks or files while the program runs.
//
// Runs in the instrumented program, linked or by LD_PRELOAD; the latter in programs linked with fnprof too. The tables lie in .bss, so hooks before any constructor and in
// any thread are counted; threads are spread over shards only to keep cache lines from bouncing.
// At exit, _exit and quick_exit it writes one line per function, `COUNT MODULE+0xOFFSET`, to the file that FNCOUNT_OUTPUT
// names; OFFSET is the address in the module's symbol table. Forked children start from zero and append .PID to the name.
// FNCOUNT_SHARED names a file that becomes the tables' memory: it holds the counts whatever ends the process, as pairs of 64-bit words
// (address of the function as it is mapped, calls), one of each shard, zeros between. Forked children count in memory of their own.
// With FNCOUNT_FORWARD set it passes each call on to the profiler that is loaded besides, so that both see the same run.
// Not seen by what it writes itself: calls after that (destructors of libraries that outlive it) and processes that die by a signal or
// by exec.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { kShards = 16, kSlots = 1 << 16, kPathBytes = 4096 };

typedef struct {
    _Atomic uintptr_t function;  // 0: free; set once
    _Atomic uint64_t count;
} Counter;

static _Alignas(65536) Counter shards[kShards][kSlots];
static _Atomic uint64_t uncounted;  // calls of functions that found no free slot; the comparison fails if there are any
static _Atomic unsigned next_shard;
static __thread unsigned my_shard __attribute__((tls_model("initial-exec")));  // index + 1, 0: not chosen yet
static char output_path[kPathBytes];
static pid_t first_process;
static pid_t this_process;  // differs from getpid() in children of vfork, which must leave their parent's tables alone
static _Atomic bool written;
static bool shared;  // the tables are a file's

static unsigned slot_of(uintptr_t function) {
    return (unsigned)((function * UINT64_C(0x9e3779b97f4a7c15)) >> 48) % kSlots;
}

static void count(uintptr_t key) {
    if (my_shard == 0) my_shard = 1 + atomic_fetch_add_explicit(&next_shard, 1, memory_order_relaxed) % kShards;
    Counter* const table = shards[my_shard - 1];
    unsigned slot = slot_of(key);
    for (unsigned probe = 0; probe < kSlots; ++probe, slot = (slot + 1) % kSlots) {
        uintptr_t found = atomic_load_explicit(&table[slot].function, memory_order_relaxed);
        if (found == 0 && atomic_compare_exchange_strong_explicit(&table[slot].function, &found, key, memory_order_relaxed,
                                                                  memory_order_relaxed)) {
            found = key;
        }
        if (found == key) {
            atomic_fetch_add_explicit(&table[slot].count, 1, memory_order_relaxed);
            return;
        }
    }
    atomic_fetch_add_explicit(&uncounted, 1, memory_order_relaxed);
}

// ---------------------------------------------------------------------------------------------------------------
// Hooks. Where they go on to is found out by the first call; they must do so by a jump, since the profiler looks at the stack.

typedef void Hook(void* function, void* call_site);

static Hook find_next_enter, find_next_exit;
static _Atomic(Hook*) next_enter = find_next_enter;
static _Atomic(Hook*) next_exit = find_next_exit;

static void go_nowhere(void* function, void* call_site) {
    (void)function;
    (void)call_site;
}

static Hook* find_next(const char* name) {
    Hook* hook = go_nowhere;
    if (getenv("FNCOUNT_FORWARD") != NULL) {
        void* const found = dlsym(RTLD_NEXT, name);
        if (found != NULL) memcpy(&hook, &found, sizeof hook);
    }
    return hook;
}

static void find_next_enter(void* function, void* call_site) {
    Hook* const hook = find_next("fnprof_enter");
    next_enter = hook;
    hook(function, call_site);
}

static void find_next_exit(void* function, void* call_site) {
    Hook* const hook = find_next("fnprof_exit");
    next_exit = hook;
    hook(function, call_site);
}

void __cyg_profile_func_enter(void* function, void* call_site) {
    count((uintptr_t)function);
    atomic_load_explicit(&next_enter, memory_order_relaxed)(function, call_site);
}

void __cyg_profile_func_exit(void* function, void* call_site) {
    atomic_load_explicit(&next_exit, memory_order_relaxed)(function, call_site);
}

// What the hooks of modules linked with -lfnprof jump to: preloaded, this library counts in those programs too.
void fnprof_enter(void* function, void* call_site) __attribute__((alias("__cyg_profile_func_enter")));
void fnprof_exit(void* function, void* call_site) __attribute__((alias("__cyg_profile_func_exit")));

// ---------------------------------------------------------------------------------------------------------------
// Writing. All shards are added into the first one, which then holds each function once.

typedef struct {
    uintptr_t address;
    uintptr_t bias;
    const char* path;
} Place;

static int find_module(struct dl_phdr_info* module, size_t size, void* data) {
    (void)size;
    Place* const place = data;
    for (int i = 0; i < module->dlpi_phnum; ++i) {
        const ElfW(Phdr)* const segment = &module->dlpi_phdr[i];
        if (segment->p_type != PT_LOAD || place->address - (module->dlpi_addr + segment->p_vaddr) >= segment->p_memsz) continue;
        place->bias = module->dlpi_addr;
        place->path = module->dlpi_name;
        return 1;
    }
    return 0;
}

static void gather(void) {
    for (unsigned shard = 1; shard < kShards; ++shard) {
        for (unsigned i = 0; i < kSlots; ++i) {
            const uintptr_t key = shards[shard][i].function;
            const uint64_t count = atomic_exchange(&shards[shard][i].count, 0);
            if (key == 0 || count == 0) continue;
            unsigned slot = slot_of(key);
            unsigned probe = 0;
            while (probe < kSlots && shards[0][slot].function != 0 && shards[0][slot].function != key) {
                slot = (slot + 1) % kSlots;
                ++probe;
            }
            if (probe == kSlots) {
                uncounted += count;
                continue;
            }
            shards[0][slot].function = key;
            shards[0][slot].count += count;
        }
    }
}

static void write_counts(void) {
    if (output_path[0] == 0 || getpid() != this_process || atomic_exchange(&written, true)) return;
    char path[kPathBytes + 16];
    if (this_process == first_process) {
        snprintf(path, sizeof path, "%s", output_path);
    } else {
        snprintf(path, sizeof path, "%s.%d", output_path, (int)this_process);
    }
    const int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (file < 0) {
        dprintf(STDERR_FILENO, "fncount: cannot write %s\n", path);
        return;
    }
    char program[kPathBytes] = "";
    if (readlink("/proc/self/exe", program, sizeof program - 1) < 0) program[0] = 0;
    gather();
    for (unsigned i = 0; i < kSlots; ++i) {
        const uint64_t count = shards[0][i].count;
        if (count == 0) continue;
        Place place = {.address = shards[0][i].function, .bias = 0, .path = "?"};
        dl_iterate_phdr(find_module, &place);
        if (place.path[0] == 0) place.path = program;
        dprintf(file, "%llu %s+0x%llx\n", (unsigned long long)count, place.path, (unsigned long long)(place.address - place.bias));
    }
    if (uncounted != 0) dprintf(file, "%llu !uncounted+0x0\n", (unsigned long long)uncounted);
    close(file);
}

// Before there are threads: what was counted so far is taken along.
static void share_tables(const char* path) {
    const int file = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    void* mapped = MAP_FAILED;
    if (file >= 0 && ftruncate(file, sizeof shards) == 0) mapped = mmap(NULL, sizeof shards, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (mapped != MAP_FAILED) {
        Counter* const copy = mapped;
        for (unsigned i = 0; i < kShards * kSlots; ++i) {
            const Counter* const counter = &shards[i / kSlots][i % kSlots];
            if (counter->function == 0) continue;
            copy[i].function = counter->function;
            copy[i].count = counter->count;
        }
        munmap(mapped, sizeof shards);
        mapped = mmap(shards, sizeof shards, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file, 0);
    }
    shared = mapped != MAP_FAILED;
    if (!shared) dprintf(STDERR_FILENO, "fncount: cannot count in %s\n", path);
    if (file >= 0) close(file);
}

static void start_child(void) {
    if (shared) {
        if (mmap(shards, sizeof shards, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED) abort();
        shared = false;
    } else {
        memset(shards, 0, sizeof shards);
    }
    uncounted = 0;
    written = false;
    this_process = getpid();
}

__attribute__((constructor(101))) static void start(void) {
    const char* const wanted = getenv("FNCOUNT_OUTPUT");
    if (wanted != NULL) {
        // Made absolute: programs change their directory.
        if (wanted[0] != '/' && getcwd(output_path, kPathBytes / 2) != NULL) strcat(output_path, "/");
        strncat(output_path, wanted, kPathBytes - 1 - strlen(output_path));
    }
    if (getenv("FNCOUNT_SHARED") != NULL) share_tables(getenv("FNCOUNT_SHARED"));
    first_process = this_process = getpid();
    pthread_atfork(NULL, NULL, start_child);
    at_quick_exit(write_counts);
}

__attribute__((destructor(101))) static void finish(void) { write_counts(); }

// Both end the process without running destructors.
_Noreturn void _exit(int status) {
    write_counts();
    for (;;) syscall(SYS_exit_group, status);
}

_Noreturn void _Exit(int status) { _exit(status); }
