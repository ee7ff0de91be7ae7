// stress LEDGER SEED [WAY]: does random things with threads, processes, signals, exceptions, jumps, fibers and libraries, counts every
// call that it makes in the file LEDGER, and ends in one of many ways; WAY: how, when LEDGER says that it is time. `stress names`
// prints the names of the counted functions and the layout of LEDGER.
#include "actions.h"
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

Process process;
pthread_mutex_t loader = PTHREAD_MUTEX_INITIALIZER;

namespace {

unsigned way_to_end;

constexpr int kMostNested = 5;

NOINLINE void at_end(int caller) {
    MADE(caller, at_end);
    CALL(id_at_end, leaf_b);
}

SILENT void call_at_end() { CALL(process.ending_caller, at_end); }

NOINLINE void run(int caller) {
    MADE(caller, run);
    for (unsigned i = 3 + roll(20); i > 0; i--) act(id_run);
    // The first process goes on until its time has come.
    while (process.first && __atomic_load_n(&ledger->actions_left, __ATOMIC_SEQ_CST) > 0) act(id_run);
}

SILENT bool map_ledger(const char* path) {
    const int file = open(path, O_RDWR | O_CLOEXEC);
    if (file < 0) return false;
    void* const mapped = mmap(nullptr, sizeof(Ledger), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    ledger = static_cast<Ledger*>(mapped);
    return mapped != MAP_FAILED;
}

SILENT int print_names() {
    static const char* const names[] = {
#define AS_TEXT(name) #name,
        COUNTED(AS_TEXT)};
    printf("%zu %zu\n", sizeof(Ledger), offsetof(Ledger, calls));
    for (const char* name : names) puts(strcmp(name, "guard") == 0 ? "~Guard" : name);
    return 0;
}

}  // namespace

bool may_start_process() {
    if (ledger->actions_left <= 0) return false;
    if (__atomic_add_fetch(&ledger->processes, 1, __ATOMIC_SEQ_CST) <= kMostProcesses) return true;
    __atomic_fetch_sub(&ledger->processes, 1, __ATOMIC_SEQ_CST);
    return false;
}

void register_process() {
    const int64_t own = getpid();
    for (int i = 0; i < kMostProcesses; i++) {
        int64_t expected = 0;
        if (!__atomic_compare_exchange_n(&ledger->pids[i], &expected, own, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) continue;
        process.slot = i;
        return;
    }
}

void start_thread_state(uint64_t seed) {
    *self() = {};
    self()->random = seed * 2654435761u + 12345;
    roll(2);
}

void act(int caller) {
    if (process.first && ledger->calls >= ledger->end_at && way_to_end < kWaysToEnd) end_process(caller, way_to_end);
    __atomic_fetch_add(&ledger->progress[process.slot], 1, __ATOMIC_SEQ_CST);
    if (__atomic_sub_fetch(&ledger->actions_left, 1, __ATOMIC_SEQ_CST) < 0) return;
    if (self()->depth >= kMostNested) return CALL(caller, leaf_b);
    self()->depth++;
    switch (roll(26)) {
        case 0:
        case 1:
        case 2: CALL(caller, compute); break;
        case 3: CALL(caller, recurse, static_cast<int>(roll(200))); break;
        case 4:
        case 5: CALL(caller, node); break;
        case 6:
        case 7: CALL(caller, catcher); break;
        case 8: CALL(caller, lander); break;
        case 9:
        case 10: CALL(caller, storm); break;
        case 11:
        case 12:
        case 13: CALL(caller, forks); break;
        case 14: CALL(caller, spawns); break;
        case 15: vforks_itself(caller); break;
        case 16:
        case 17:
        case 18: CALL(caller, makes_threads); break;
        case 19: CALL(caller, cancels); break;
        case 20: CALL(caller, loads_plugin); break;
        case 21:
        case 22: CALL(caller, switches); break;
        case 23:
        case 24: CALL(caller, sets_timer); break;
        default:
            if (!process.first && roll(2) == 0) CALL(caller, execs);
    }
    self()->depth--;
}

SILENT int main(int count, char** arguments) {
    if (count == 2 && strcmp(arguments[1], "names") == 0) return print_names();
    if (count < 3 || !map_ledger(arguments[1])) return 2;
    process.arguments = arguments;
    process.may_make_threads = true;
    process.first = count > 3;
    way_to_end = process.first ? static_cast<unsigned>(strtoul(arguments[3], nullptr, 10)) : kWaysToEnd;
    register_process();
    start_thread_state(strtoull(arguments[2], nullptr, 10));
    process.may_notify = roll(2) == 0;
    prepare_threads();
    install_signal_handlers();
    atexit(call_at_end);
    CALL(kNobody, run);
    // The last thread ends the process.
    if (!process.may_notify && roll(5) == 0) pthread_exit(nullptr);
    // Who ends the process elsewhere does so for all; and nobody may fork while exit runs the handlers.
    if (__atomic_exchange_n(&process.ending, 1, __ATOMIC_SEQ_CST) != 0) {
        for (;;) pause();
    }
    pthread_mutex_lock(&loader);
    return 0;
}
