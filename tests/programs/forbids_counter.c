// forbids_counter HOW: reading the time stamp counter is made a fault (PR_SET_TSC), and calls go on. Exit status 0 if the kernel's
// answer is always what this program wants it to be.
//   exec     before this program is loaded: by itself, uninstrumented (a static one; the loader reads the counter)
//   first    before the first call
//   middle   between calls, with marks, a new thread and a forked child; and allowed again
//   handler  between calls, while a timer's handler makes calls as well; prints how many
//   vfork    in a vfork child, which shares the memory but not the permission
//   calls    nobody does; it says whether the counter is forbidden
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define SILENT __attribute__((no_instrument_function))

enum { kFew = 1000, kMany = 100000 };

static volatile unsigned total;
static volatile long handled;
static int wrong;
static jmp_buf home;

__attribute__((noinline)) void leaf(void) { total++; }
__attribute__((noinline)) void in_handler(void) { handled++; }
__attribute__((noinline)) void at_exit(void) { leaf(); }
__attribute__((noinline)) void leave(void) { longjmp(home, 1); }
__attribute__((noinline)) void jump(void) {
    if (setjmp(home) == 0) leave();
    leaf();
}

static SILENT long now_ns(void) {
    struct timespec now;
    syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000000000L + now.tv_nsec;
}

// Lasts for 50 ms.
__attribute__((noinline)) void spin(void) {
    const long end = now_ns() + 50000000;
    while (now_ns() < end) total++;
}

__attribute__((noinline)) void call(int count) {
    for (int i = 0; i < count; i++) leaf();
}

static SILENT void expect(int mode) {
    int found = 0;
    wrong |= prctl(PR_GET_TSC, &found) != 0 || found != mode;
}
static SILENT void set(int mode) {
    wrong |= prctl(PR_SET_TSC, mode) != 0;
    expect(mode);
}

static void* thread(void* argument) {
    call(kMany);
    expect(PR_TSC_SIGSEGV);
    return argument;
}

static SILENT void wait_for(pid_t child) {
    int status = 0;
    while (waitpid(child, &status, 0) < 0) continue;
    wrong |= status;
}

static void middle(void) {
    pthread_t other;
    call(kMany);
    set(PR_TSC_SIGSEGV);
    call(kMany);
    jump();
    spin();
    expect(PR_TSC_SIGSEGV);
    wrong |= pthread_create(&other, NULL, thread, NULL) != 0;
    pthread_join(other, NULL);
    pid_t child = fork();
    if (child == 0) {
        call(kFew);
        jump();
        spin();
        expect(PR_TSC_SIGSEGV);
        _exit(wrong);
    }
    wait_for(child);
    expect(PR_TSC_SIGSEGV);
    set(PR_TSC_ENABLE);
    call(kMany);
    expect(PR_TSC_ENABLE);
    set(PR_TSC_SIGSEGV);
    call(kFew);
    expect(PR_TSC_SIGSEGV);
}

static SILENT void on_alarm(int signal) {
    (void)signal;
    in_handler();
    in_handler();
}

static void handler(void) {
    struct itimerval often = {{0, 100}, {0, 100}}, never = {{0, 0}, {0, 0}};
    signal(SIGALRM, on_alarm);
    setitimer(ITIMER_REAL, &often, NULL);
    for (int i = 0; i < 20; i++) {
        call(kFew);
        set(PR_TSC_SIGSEGV);
        call(kFew);
        expect(PR_TSC_SIGSEGV);
        set(PR_TSC_ENABLE);
    }
    setitimer(ITIMER_REAL, &never, NULL);
    signal(SIGALRM, SIG_IGN);
    printf("%ld\n", handled);
}

static void with_vfork(void) {
    call(kMany);
    pid_t child = vfork();
    if (child == 0) {
        prctl(PR_SET_TSC, PR_TSC_SIGSEGV);
        leaf();
        _exit(0);
    }
    wait_for(child);
    expect(PR_TSC_ENABLE);
    call(kMany);
    expect(PR_TSC_ENABLE);
}

SILENT int main(int argc, char** argv) {
    const char* how = argc > 1 ? argv[1] : "";
    if (strcmp(how, "exec") == 0) {
        prctl(PR_SET_TSC, PR_TSC_SIGSEGV);
        execl("/proc/self/exe", argv[0], "calls", NULL);
        return 9;
    }
    if (strcmp(how, "first") == 0) set(PR_TSC_SIGSEGV);
    if (strcmp(how, "first") == 0 || strcmp(how, "calls") == 0) {
        int mode = 0;
        prctl(PR_GET_TSC, &mode);
        atexit(at_exit);
        call(kMany);
        jump();
        spin();
        expect(mode);
        puts(mode == PR_TSC_SIGSEGV ? "forbidden" : "allowed");
    }
    if (strcmp(how, "middle") == 0) middle();
    if (strcmp(how, "handler") == 0) handler();
    if (strcmp(how, "vfork") == 0) with_vfork();
    return wrong;
}
