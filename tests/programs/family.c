// family: forks a child from within two calls, which works and returns from them; one that goes on to another program, itself; and one that
// is killed. Each waits for the one before.
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile unsigned total;

void leaf(void) { total++; }

static void work(int count) {
    for (int i = 0; i < count; ++i) leaf();
}

static void await(pid_t child) {
    int status;
    if (child > 0) waitpid(child, &status, 0);
}

int nursery(void) {
    const pid_t child = fork();
    if (child == 0) work(10);
    await(child);
    return child == 0;
}

int school(void) { return nursery(); }

void emigrate(char* self) {
    const pid_t child = fork();
    if (child == 0) {
        work(1);
        execl(self, self, "settle", NULL);
        _exit(1);
    }
    await(child);
}

void perish(void) {
    const pid_t child = fork();
    if (child == 0) {
        work(7);
        raise(SIGKILL);
    }
    await(child);
}

int main(int argc, char** argv) {
    if (argc > 1 && strcmp(argv[1], "settle") == 0) {
        work(5);
        return 0;
    }
    if (school()) return 0;
    emigrate(argv[0]);
    perish();
    work(2);
    return 0;
}
