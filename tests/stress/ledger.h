// What the stress program keeps of itself: for each caller and function the calls that it was about to make and those whose body
// has begun, in a file that all its processes map shared.
//
// A call is entered in `begun` by its caller, then the hook records it, then its body enters it in `made`; each entry is one locked
// instruction. Whatever kills the process, whenever: made <= recorded <= begun, and the two differ only by calls that a death, a
// jump out of a signal handler or a cancellation cut off in between, one for each function that was being entered.
#pragma once

#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define SILENT __attribute__((no_instrument_function))
#define NOINLINE __attribute__((noinline))

// The functions that are counted. guard stands for ~Guard.
#define COUNTED(F)                                                                                                               \
    F(run) F(worker) F(leaf_a) F(leaf_b) F(compute) F(recurse) F(node) F(on_signal) F(on_notify) F(on_thread_end) F(at_end)      \
    F(storm) F(storm_outer) F(storm_inner) F(victim) F(polite_victim) F(waits_politely) F(cancels) F(vforks) F(catcher)          \
    F(rethrower) F(thrower) F(guard) F(lander) F(jumper) F(forks) F(spawns) F(execs) F(makes_threads) F(quits) F(loads_plugin)   \
    F(plug_a) F(plug_b) F(plug_helper) F(switches) F(fiber) F(fiber_inner) F(sets_timer) F(ends)

#define AS_ID(name) id_##name,
enum {
    kNobody,  // no counted function called it
    kAnyone,  // a signal handler's caller is whatever was interrupted
    COUNTED(AS_ID) kIds
};

enum { kMostProcesses = 40 };

struct Ledger {
    uint64_t begun[kIds][kIds];  // [caller][callee]
    uint64_t made[kIds][kIds];
    uint64_t calls;         // all that were made
    uint64_t end_at;        // the first process ends itself when so many were made
    int64_t actions_left;
    uint64_t cuts;          // functions that may have been cut off while they were entered, processes' deaths aside
    uint64_t threads;       // that were started, in all processes
    uint64_t processes;     // that were started
    int64_t pids[kMostProcesses];
    uint64_t progress[kMostProcesses];  // actions of each
};

// What the program knows of a thread. All zero in threads that are not its own.
struct Self {
    uint64_t random;
    sigjmp_buf landing;
    volatile sig_atomic_t armed;  // a signal handler may jump to `landing`
    int depth;                    // of nested actions
    int on_fiber;
};

#ifdef __cplusplus
extern "C" {
#endif

extern struct Ledger* ledger;

SILENT static inline void count_begun(int caller, int callee) { __atomic_fetch_add(&ledger->begun[caller][callee], 1, __ATOMIC_SEQ_CST); }

SILENT static inline void count_made(int caller, int callee) {
    __atomic_fetch_add(&ledger->made[caller][callee], 1, __ATOMIC_SEQ_CST);
    __atomic_fetch_add(&ledger->calls, 1, __ATOMIC_SEQ_CST);
}

// A call of a counted function by another one; every counted function is told its caller and begins with MADE.
#define CALL(caller, function, ...) (count_begun(caller, id_##function), function(caller, ##__VA_ARGS__))
#define MADE(caller, function) count_made(caller, id_##function)

// Out of line and in another file: a fiber may go on in another thread.
SILENT struct Self* self(void);
SILENT unsigned roll(unsigned sides);

// quiet.c: functions that a signal handler may jump out of and a cancellation may end anywhere; C, so that nothing has to be unwound.
void leaf_a(int caller);
void leaf_b(int caller);
void on_signal(int caller);
void storm(int caller);
void victim(int caller, volatile long* rounds);
void vforks(int caller, char** arguments);
SILENT void signal_handler(int number);
SILENT void wait_for(pid_t child);

#ifdef __cplusplus
}
#endif
