// silent_forks twice|jump: children that make no record before something happens to them.
// twice: a child forks at once and ends; the grandchild is the first to call something.
// jump: a child leaves two frames by longjmp before it calls anything.
#include <setjmp.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define SILENT __attribute__((no_instrument_function))

static volatile unsigned total;
static jmp_buf home;
static int twice;

__attribute__((noinline)) void leaf(void) { total++; }
__attribute__((noinline)) void warm_up(void) { leaf(); }

static SILENT void wait_for(pid_t child) {
    int status;
    while (waitpid(child, &status, 0) < 0) {
    }
}

static SILENT __attribute__((noinline)) void fork_silently(void) {
    pid_t child = fork();
    if (child != 0) {
        wait_for(child);
        return;
    }
    if (!twice) longjmp(home, 1);
    pid_t grandchild = fork();
    if (grandchild != 0) {
        wait_for(grandchild);
        _exit(0);
    }
    leaf();
    leaf();
    _exit(0);
}

__attribute__((noinline)) void inner(void) {
    fork_silently();
    total++;
}
__attribute__((noinline)) void outer(void) {
    inner();
    total++;
}

int main(int argc, char** argv) {
    twice = argc > 1 && strcmp(argv[1], "twice") == 0;
    warm_up();
    if (setjmp(home) == 0) {
        outer();
    } else {
        leaf();
        leaf();
    }
    return 0;
}
