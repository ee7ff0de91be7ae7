// Threads that come and go, are cancelled and exit; timers of every kind, and what their signals find.
#include "actions.h"
#include <csignal>
#include <ctime>
#include <sched.h>
#include <sys/mman.h>
#include <sys/time.h>

namespace {

constexpr int kMostThreads = 8;
constexpr size_t kSignalStackBytes = 1 << 16;
constexpr int kSignals[] = {SIGALRM, SIGPROF, SIGUSR1, SIGUSR2};

pthread_key_t at_thread_end, unwinding;

NOINLINE void on_thread_end(int caller) {
    MADE(caller, on_thread_end);
    CALL(id_on_thread_end, leaf_a);
}

// Of every worker; with something to say in some.
char quiet_end, counted_end;

SILENT void destroy_key(void* which) {
    __atomic_fetch_sub(&process.threads_alive, 1, __ATOMIC_SEQ_CST);
    if (which == &counted_end) CALL(kNobody, on_thread_end);
}

SILENT void release_unwinder(void*) { unlock_unwinder(); }

NOINLINE void on_notify(int caller) {
    MADE(caller, on_notify);
    CALL(id_on_notify, leaf_b);
}

SILENT void notify(sigval) { CALL(kNobody, on_notify); }

SILENT void* exit_at_once(void*) { pthread_exit(nullptr); }

// Ends the thread from the depth.
NOINLINE void quits(int caller, int depth) {
    MADE(caller, quits);
    if (depth == 0) exit_thread();
    Guard guard(id_quits);
    CALL(id_quits, quits, depth - 1);
}

struct Start {
    uint64_t seed;
    bool own_signal_stack;
};

NOINLINE void worker(int caller) {
    MADE(caller, worker);
    for (unsigned i = 1 + roll(6); i > 0; i--) act(id_worker);
    if (roll(4) == 0) CALL(id_worker, quits, static_cast<int>(roll(4)));
}

SILENT void* start_worker(void* argument) {
    auto* const start = static_cast<Start*>(argument);
    start_thread_state(start->seed);
    if (start->own_signal_stack) {
        stack_t stack = {};
        stack.ss_sp = mmap(nullptr, kSignalStackBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        stack.ss_size = kSignalStackBytes;
        if (stack.ss_sp != MAP_FAILED) sigaltstack(&stack, nullptr);
    }
    delete start;
    pthread_setspecific(at_thread_end, roll(3) == 0 ? &counted_end : &quiet_end);
    CALL(kNobody, worker);
    return nullptr;
}

SILENT bool start_thread(pthread_t& thread, void* (*body)(void*), void* argument) {
    pthread_mutex_lock(&loader);
    const bool started = pthread_create(&thread, nullptr, body, argument) == 0;
    pthread_mutex_unlock(&loader);
    if (started) __atomic_fetch_add(&ledger->threads, 1, __ATOMIC_SEQ_CST);
    return started;
}

// ---------------------------------------------------------------------------------------------------------------
// Cancellation

struct Cancelled {
    volatile long rounds;
    bool politely;
};

NOINLINE void waits_politely(int caller, volatile long& rounds) {
    MADE(caller, waits_politely);
    for (rounds = 1; rounds < 1000000; rounds = rounds + 1) {
        CALL(id_waits_politely, leaf_a);
        pthread_testcancel();
    }
}

NOINLINE void polite_victim(int caller, volatile long& rounds) {
    MADE(caller, polite_victim);
    Guard guard(id_polite_victim);
    CALL(id_polite_victim, waits_politely, rounds);
}

SILENT void* start_victim(void* argument) {
    auto* const cancelled = static_cast<Cancelled*>(argument);
    if (cancelled->politely)
        CALL(kNobody, polite_victim, cancelled->rounds);
    else
        CALL(kNobody, victim, &cancelled->rounds);
    return nullptr;
}

}  // namespace

NOINLINE void makes_threads(int caller) {
    MADE(caller, makes_threads);
    if (!process.may_make_threads) return;
    pthread_t threads[3];
    unsigned count = 0;
    for (unsigned wanted = 1 + roll(3); count < wanted; count++) {
        if (__atomic_add_fetch(&process.threads_alive, 1, __ATOMIC_SEQ_CST) > kMostThreads ||
            !start_thread(threads[count], start_worker, new Start{self()->random + count, roll(3) == 0})) {
            __atomic_fetch_sub(&process.threads_alive, 1, __ATOMIC_SEQ_CST);
            break;
        }
        CALL(id_makes_threads, leaf_a);
    }
    // Some are signalled, all are waited for or left alone.
    if (roll(2) == 0) {
        for (unsigned i = 0; i < count; i++) pthread_kill(threads[i], SIGUSR1);
    }
    const bool leave = roll(3) == 0;
    const int slot = process.slot;
    act(id_makes_threads);
    // In the child of a fork they are not there.
    for (unsigned i = 0; i < count && slot == process.slot; i++) {
        if (leave)
            pthread_detach(threads[i]);
        else
            pthread_join(threads[i], nullptr);
    }
}

NOINLINE void cancels(int caller) {
    MADE(caller, cancels);
    if (!process.may_make_threads) return;
    Cancelled cancelled = {};
    cancelled.politely = roll(2) == 0;
    pthread_t thread;
    if (!start_thread(thread, start_victim, &cancelled)) return;
    for (const long enough = 2 + roll(2000); cancelled.rounds < enough;) sched_yield();
    __atomic_fetch_add(&ledger->cuts, 2, __ATOMIC_SEQ_CST);
    pthread_mutex_lock(&loader);
    pthread_cancel(thread);
    pthread_join(thread, nullptr);
    pthread_mutex_unlock(&loader);
    CALL(id_cancels, leaf_b);
}

NOINLINE void sets_timer(int caller) {
    MADE(caller, sets_timer);
    const auto every_us = static_cast<suseconds_t>(100 + roll(3000));
    const unsigned kind = roll(5);
    if (kind < 2) {
        const itimerval interval = {{0, every_us}, {0, every_us}};
        setitimer(kind == 0 ? ITIMER_REAL : ITIMER_PROF, &interval, nullptr);
    } else if (kind == 2) {
        const itimerval off = {};
        setitimer(ITIMER_REAL, &off, nullptr);
    } else {
        const bool notifies = kind == 4;
        if (notifies && !process.may_notify) return;
        sigevent event = {};
        event.sigev_notify = notifies ? SIGEV_THREAD : SIGEV_SIGNAL;
        event.sigev_signo = SIGUSR2;
        event.sigev_notify_function = notify;
        timer_t timer;
        pthread_mutex_lock(&loader);
        const bool made = timer_create(CLOCK_MONOTONIC, &event, &timer) == 0;
        pthread_mutex_unlock(&loader);
        if (!made) return;
        const long every_ns = notifies ? 3'000'000 : every_us * 1000;
        const itimerspec interval = {{0, every_ns}, {0, every_ns}};
        timer_settime(timer, 0, &interval, nullptr);
        const int slot = process.slot;
        act(id_sets_timer);
        if (slot == process.slot) timer_delete(timer);
    }
    CALL(id_sets_timer, leaf_a);
}

void install_signal_handlers() {
    struct sigaction action = {};
    action.sa_handler = signal_handler;
    action.sa_flags = SA_RESTART | SA_ONSTACK;
    sigset_t ours;
    sigemptyset(&ours);
    for (const int number : kSignals) {
        sigaction(number, &action, nullptr);
        sigaddset(&ours, number);
    }
    pthread_sigmask(SIG_UNBLOCK, &ours, nullptr);
}

// Keeps the unwinder locked until the stack is unwound and the thread's keys are destroyed.
void exit_thread() {
    lock_unwinder();
    pthread_setspecific(unwinding, &unwinding);
    pthread_exit(nullptr);
}

void prepare_threads() {
    pthread_key_create(&at_thread_end, destroy_key);
    pthread_key_create(&unwinding, release_unwinder);
    // The first thread that exits loads the unwinder. A fork beside it would find the loader's lock taken.
    pthread_t thread;
    if (pthread_create(&thread, nullptr, exit_at_once, nullptr) == 0) pthread_join(thread, nullptr);
}
