// What the stress program's threads do, one thing at a time and at random.
//
// Nothing that the C library forbids is done: what takes the loader's locks happens under `loader`, and so does fork, so that no child
// finds one taken for ever; nothing jumps out of a signal handler that may have interrupted the C library.
#pragma once

#include "ledger.h"
#include <pthread.h>

// What a process knows of itself; the child of a fork starts anew.
struct Process {
    int slot;  // in Ledger::pids
    bool first;
    bool may_make_threads;      // false: the parent's notifying threads may have held the C library's locks
    bool may_notify;            // by SIGEV_THREAD, for which the C library keeps a thread: the end of all others ends nothing then
    int threads_alive;
    int ending;         // somebody ends it
    int ending_caller;  // who called exit
    char** arguments;   // to execute the program anew: name, ledger, seed, what
};
extern Process process;
extern pthread_mutex_t loader;

// Around what unwinds a stack: in static programs libgcc's unwinder takes a lock, which is the loader's business where there is one.
#ifdef WITH_PLUGINS
SILENT inline void lock_unwinder() {}
SILENT inline void unlock_unwinder() {}
#else
SILENT inline void lock_unwinder() { pthread_mutex_lock(&loader); }
SILENT inline void unlock_unwinder() { pthread_mutex_unlock(&loader); }
#endif

// Counts its destruction as a call by the function that it lives in.
struct Guard {
    int owner;
    SILENT explicit Guard(int by) : owner(by) { count_begun(owner, id_guard); }
    NOINLINE ~Guard() {
        MADE(owner, guard);
        CALL(id_guard, leaf_a);
    }
};

// One action, or a few calls more if it makes some itself. Ends the process if it is time.
SILENT void act(int caller);
SILENT void end_process(int caller, unsigned how);
enum { kWaysToEnd = 8 };

// Registers the calling process; false: there are enough.
SILENT bool may_start_process();
SILENT void register_process();
SILENT void start_thread_state(uint64_t seed);

// calls.cpp
void compute(int caller);
void recurse(int caller, int depth);
void node(int caller);
void catcher(int caller);
void lander(int caller);
void switches(int caller);
void loads_plugin(int caller);

// processes.cpp
void forks(int caller);
void spawns(int caller);
void execs(int caller);
SILENT void vforks_itself(int caller);

// threads.cpp
void makes_threads(int caller);
void cancels(int caller);
void sets_timer(int caller);
SILENT void install_signal_handlers();
SILENT void prepare_threads();
[[noreturn]] SILENT void exit_thread();
