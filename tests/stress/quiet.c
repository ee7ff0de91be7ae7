// The part of the stress program that bears to be cut off anywhere.
#define _GNU_SOURCE
#include "ledger.h"
#include <errno.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

struct Ledger* ledger;

static __thread struct Self this_thread;
static volatile unsigned sink;

struct Self* self(void) { return &this_thread; }

unsigned roll(unsigned sides) {
    struct Self* const me = self();
    me->random = me->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (unsigned)(me->random >> 33) % sides;
}

void wait_for(pid_t child) {
    while (waitpid(child, NULL, 0) < 0 && errno == EINTR) {}
}

NOINLINE void leaf_a(int caller) {
    MADE(caller, leaf_a);
    sink++;
}

NOINLINE void leaf_b(int caller) {
    MADE(caller, leaf_b);
    volatile char frame[300];
    frame[sink % 300] = 1;
    sink += (unsigned)frame[sink % 300];
}

NOINLINE void on_signal(int caller) {
    MADE(caller, on_signal);
    CALL(id_on_signal, leaf_a);
    if (self()->armed) {
        self()->armed = 0;
        // The call that was interrupted, and where a signal interrupted another one's handler, that handler too.
        __atomic_fetch_add(&ledger->cuts, 3, __ATOMIC_SEQ_CST);
        siglongjmp(self()->landing, 1);
    }
    CALL(id_on_signal, leaf_b);
}

void signal_handler(int number) {
    (void)number;
    CALL(kAnyone, on_signal);
}

NOINLINE static void storm_inner(int caller) {
    MADE(caller, storm_inner);
    for (volatile int i = 0; i < 20; i++) sink++;
}

NOINLINE static void storm_outer(int caller) {
    MADE(caller, storm_outer);
    CALL(id_storm_outer, storm_inner);
    CALL(id_storm_outer, storm_inner);
}

// Calls that end where a signal arrives.
NOINLINE void storm(int caller) {
    MADE(caller, storm);
    if (sigsetjmp(self()->landing, 1) == 0) {
        self()->armed = 1;
        for (int i = 0; i < 3000 && self()->armed; i++) CALL(id_storm, storm_outer);
        self()->armed = 0;
    }
    CALL(id_storm, leaf_a);
}

// A thread's calls, until they are cancelled.
NOINLINE void victim(int caller, volatile long* rounds) {
    int before;
    MADE(caller, victim);
    CALL(id_victim, leaf_b);
    pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &before);
    for (*rounds = 1; *rounds < 1000000; ++*rounds) CALL(id_victim, leaf_a);
    pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &before);
}

// The child shares memory and stack with this thread until it executes the program anew.
NOINLINE void vforks(int caller, char** arguments) {
    MADE(caller, vforks);
    const pid_t child = vfork();
    if (child == 0) {
        CALL(id_vforks, leaf_a);
        execv(arguments[0], arguments);
        _exit(127);
    }
    CALL(id_vforks, leaf_b);
    if (child > 0) wait_for(child);
}
