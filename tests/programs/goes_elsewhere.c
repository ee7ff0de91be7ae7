// goes_elsewhere: a program of one thread goes into new user and mount namespaces, and back into its own one's by descriptor, and asks
// for what a process of one thread has already, with many calls before and after each. Prints what the kernel answered each time.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>

static volatile unsigned total;

__attribute__((noinline)) void leaf(void) { total++; }
__attribute__((noinline)) void work(void) {
    for (int i = 0; i < 50000; i++) leaf();
}

static void tell(const char* what, int result) { printf("%s: %d\n", what, result == 0 ? 0 : errno); }

int main(void) {
    const int here = open("/proc/self/ns/mnt", O_RDONLY);
    work();
    tell("mount namespace", unshare(CLONE_NEWNS));
    work();
    tell("back", setns(here, CLONE_NEWNS));
    work();
    tell("alone", unshare(CLONE_VM | CLONE_SIGHAND | CLONE_THREAD));
    for (int i = 0; i < 5; i++) {
        work();
        tell("user namespace", unshare(CLONE_NEWUSER));
    }
    work();
    tell("nowhere", setns(-1, 0));
    work();
    return 7;
}
