// starts_another HOW END: starts itself in one of many ways as a process that calls leaf five times once this one is gone. This one
// calls leaf three times and ends as END says. With END "last" it is the other way round: the started one comes and goes first.
//
// main and what it needs are not instrumented: the first hook is leaf's.
#define _GNU_SOURCE
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define UNSEEN __attribute__((no_instrument_function))

extern char** environ;
static volatile unsigned total;

void leaf(void) { total++; }

UNSEEN static void calls(int count) {
    for (int i = 0; i < count; ++i) leaf();
}

// A zombie is gone: it writes no more.
UNSEEN static void wait_until_gone(const char* pid) {
    char path[64], text[512], state = 'R';
    snprintf(path, sizeof path, "/proc/%s/stat", pid);
    while (state != 'Z') {
        FILE* file = fopen(path, "r");
        if (file == NULL) return;
        size_t length = fread(text, 1, sizeof text - 1, file);
        fclose(file);
        text[length] = 0;
        const char* name_end = strrchr(text, ')');
        if (name_end != NULL) state = name_end[2];
        sched_yield();
    }
}

UNSEEN static int started(const char* end, const char* starter) {
    if (strcmp(end, "hurry") != 0 && write(1, "started\n", 8) != 8) return 9;
    if (strcmp(end, "last") != 0) wait_until_gone(starter);
    calls(5);
    return 0;
}

UNSEEN static void start(const char* how, char** arguments) {
    pid_t child = 0;
    if (strcmp(how, "spawn") == 0) {
        if (posix_spawn(&child, arguments[0], NULL, NULL, arguments, environ) != 0) exit(9);
    } else if (strcmp(how, "shell") == 0) {
        char line[4096];
        snprintf(line, sizeof line, "(%s %s %s %s; true) &", arguments[0], arguments[1], arguments[2], arguments[3]);
        if (system(line) != 0) exit(9);
    } else {
        child = strcmp(how, "vfork") == 0 ? vfork() : fork();
        if (child == 0) {
            if (strcmp(how, "session") == 0) setsid();
            if (strcmp(how, "grandchild") == 0 && fork() != 0) _exit(0);
            execv(arguments[0], arguments);
            _exit(9);
        }
        if (strcmp(how, "grandchild") == 0) waitpid(child, NULL, 0);  // now the one that is to be started has been forked
    }
}

UNSEEN int main(int argc, char** argv) {
    if (argc == 4) return started(argv[2], argv[3]);
    if (argc != 3) return 9;
    const char *how = argv[1], *end = argv[2];
    char self[4096], pid[16], line[8];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    if (length < 0) return 9;
    self[length] = 0;
    snprintf(pid, sizeof pid, "%d", getpid());
    if (strcmp(end, "last") != 0) calls(1);

    int pipes[2];
    const int output = fcntl(1, F_DUPFD_CLOEXEC, 3);
    if (output < 0 || pipe2(pipes, O_CLOEXEC) != 0 || dup2(pipes[1], 1) < 0) return 9;
    char* arguments[] = {self, (char*)how, (char*)end, pid, NULL};
    start(how, arguments);
    dup2(output, 1);
    close(pipes[1]);
    if (strcmp(end, "hurry") != 0 && read(pipes[0], line, sizeof line) <= 0) return 9;
    if (strcmp(end, "last") == 0)
        while (read(pipes[0], line, sizeof line) > 0) continue;  // the last of those that were started is gone
    while (strcmp(end, "last") == 0 && wait(NULL) > 0) continue;
    calls(strcmp(end, "last") == 0 ? 3 : 2);
    if (strcmp(end, "kill") == 0) raise(SIGKILL);
    if (strcmp(end, "_exit") == 0) _exit(0);
    return 0;
}
