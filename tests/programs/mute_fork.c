// mute_fork: a thread begins to make calls when there is no memory left for its records; then there is some again, and it forks. The
// child makes three calls, the thread ten.
#include <pthread.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define SILENT __attribute__((no_instrument_function))

static volatile unsigned total;
static int wrong;

__attribute__((noinline)) void leaf(void) { total++; }

static SILENT long mapped_bytes(void) {
    char text[64] = "";
    FILE* file = fopen("/proc/self/statm", "r");
    if (file == NULL) return 0;
    if (fgets(text, sizeof text, file) == NULL) wrong = 1;
    fclose(file);
    long pages = 0;
    sscanf(text, "%ld", &pages);
    return pages * 4096;
}

static SILENT void* second(void* argument) {
    struct rlimit before, tight;
    getrlimit(RLIMIT_AS, &before);
    tight = before;
    tight.rlim_cur = (rlim_t)mapped_bytes() + 16384;
    setrlimit(RLIMIT_AS, &tight);
    for (int i = 0; i < 10; i++) leaf();
    setrlimit(RLIMIT_AS, &before);
    pid_t child = fork();
    if (child == 0) {
        for (int i = 0; i < 3; i++) leaf();
        _exit(0);
    }
    int status = 0;
    while (waitpid(child, &status, 0) < 0) continue;
    wrong |= status;
    return argument;
}

int main(void) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, second, NULL) != 0) return 9;
    pthread_join(thread, NULL);
    return wrong;
}
