// Processes: forked ones that go on, end or are killed, vforked, spawned and replaced ones, and all the ways to end.
#include "actions.h"
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <sched.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

namespace {

// The arguments with which the program is executed anew.
struct Arguments {
    char seed[24];
    char* words[5];
    SILENT Arguments() : seed{}, words{process.arguments[0], process.arguments[1], seed, nullptr, nullptr} {
        snprintf(seed, sizeof seed, "%llu", static_cast<unsigned long long>(self()->random + 77));
    }
};

NOINLINE void ends(int caller, unsigned how) {
    MADE(caller, ends);
    CALL(id_ends, leaf_a);
    process.ending_caller = id_ends;
    switch (how) {
        case 0:
        case 1:
            // Nobody may fork while exit runs the handlers: the child could never exit.
            pthread_mutex_lock(&loader);
            exit(0);
        case 2:
            pthread_mutex_lock(&loader);
            quick_exit(0);
        case 3: _exit(0);
        case 4: abort();
        case 5: *static_cast<volatile int*>(nullptr) = 0; break;
        case 6: raise(SIGKILL); break;
        default: raise(SIGTERM);
    }
    _exit(1);
}

// A child's own way; returns if it goes on where its parent was.
SILENT void be_child() {
    self()->armed = 0;
    process.first = false;
    process.threads_alive = 0;
    process.ending = 0;
    process.ending_caller = kNobody;
    if (process.may_notify) process.may_make_threads = false;
    process.may_notify = false;
    register_process();
    self()->random += static_cast<uint64_t>(process.slot) * 1000003;
    const unsigned way = roll(8);
    if (way < 3) return;
    for (unsigned i = roll(5); i > 0; i--) act(id_forks);
    if (way == 3) {
        CALL(id_forks, execs);
    } else if (way == 4 && self()->on_fiber == 0) {
        CALL(id_forks, leaf_b);
        exit_thread();
    }
    end_process(id_forks, roll(kWaysToEnd));
}

}  // namespace

void end_process(int caller, unsigned how) {
    if (__atomic_exchange_n(&process.ending, 1, __ATOMIC_SEQ_CST) == 0) CALL(caller, ends, how);
    for (;;) pause();
}

NOINLINE void forks(int caller) {
    MADE(caller, forks);
    if (!may_start_process()) return;
    pthread_mutex_lock(&loader);
    const pid_t child = fork();
    pthread_mutex_unlock(&loader);
    if (child == 0) {
        CALL(id_forks, leaf_a);
        be_child();
        return;
    }
    CALL(id_forks, leaf_b);
    if (child < 0) return;
    const unsigned way = roll(4);
    if (way == 0) return;  // left alone
    if (way == 1) {
        // Killed when it is at some point; its own number is not known here, the whole tree's progress is.
        const uint64_t until = ledger->calls + roll(5000);
        siginfo_t ended;
        for (;;) {
            ended.si_pid = 0;
            waitid(P_PID, static_cast<id_t>(child), &ended, WEXITED | WNOHANG | WNOWAIT);
            if (ended.si_pid != 0 || ledger->calls >= until || ledger->actions_left <= 0) break;
            sched_yield();
        }
        kill(child, SIGKILL);
    }
    wait_for(child);
}

NOINLINE void spawns(int caller) {
    MADE(caller, spawns);
    if (!may_start_process()) return;
    Arguments arguments;
    pid_t child;
    if (posix_spawn(&child, arguments.words[0], nullptr, nullptr, arguments.words, environ) == 0 && roll(2) == 0) wait_for(child);
    CALL(id_spawns, leaf_a);
}

// The process becomes another image of the program; its timers stay, and must find it prepared.
NOINLINE void execs(int caller) {
    MADE(caller, execs);
    if (!may_start_process()) return;
    Arguments arguments;
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    CALL(id_execs, leaf_b);
    execv(arguments.words[0], arguments.words);
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void vforks_itself(int caller) {
    if (!may_start_process()) return;
    Arguments arguments;
    CALL(caller, vforks, arguments.words);
}
