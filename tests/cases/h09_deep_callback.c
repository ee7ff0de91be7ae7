//! what: code without hooks takes 300 KiB of a thread's stack in one frame, and in 40 small ones, and calls back from there
//! right: the callback's caller is who called that code, on every thread, whoever gave it its stack, and in a forked child of it; a fiber's stack is told from it
//! calls: main=1 thread=2 forks=1 job=5 callback=10 fiber=2 inner=2
//! edges: job>callback=10 thread>job=2 forks>job=1 main>job=2 .>fiber=2 fiber>inner=2
//! threads: 4
//! procs: 3
#define _GNU_SOURCE
#include "case.h"
#include <pthread.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>
NI void inner(void) { sink++; }
NI void callback(void) { sink++; }
NOINST NI void one_frame(void) { volatile char b[300 * 1024]; b[0] = 1; callback(); sink += b[0]; }
NOINST NI void many_frames(int n) { volatile char b[8000]; b[0] = 1; if (n == 0) callback(); else many_frames(n - 1); sink += b[0]; }
NI void job(void) { one_frame(); many_frames(40); }
static __thread ucontext_t home, away;
NI void fiber(void) { inner(); }
NI void *thread(void *stack) {
    job();
    // A stack of its own, far from the thread's.
    getcontext(&away); away.uc_stack.ss_sp = stack; away.uc_stack.ss_size = 65536; away.uc_link = &home;
    makecontext(&away, fiber, 0); swapcontext(&home, &away);
    return 0;
}
static char stacks[2][65536];
static _Alignas(4096) char own[4 << 20];
NOINST static int in_child(void) {
    int status = 0; pid_t child = fork();
    if (child == 0) { job(); _exit(0); }
    return waitpid(child, &status, 0) != child || status != 0;
}
NI void *forks(void *p) { return in_child() ? p : 0; }
int main(void) {
    pthread_t t; pthread_attr_t a; void *r;
    job();
    if (pthread_create(&t, 0, thread, stacks[0])) return 1;
    pthread_join(t, 0);
    pthread_attr_init(&a); if (pthread_attr_setstack(&a, own, sizeof own)) return 2;
    if (pthread_create(&t, &a, thread, stacks[1])) return 3;
    pthread_join(t, 0);
    if (pthread_create(&t, 0, forks, &t)) return 4;
    pthread_join(t, &r);
    return r != 0 || in_child();
}
