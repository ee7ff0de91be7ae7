// Calls what replacements.c replaces, in four threads.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static int work(int i) {
    char *a = malloc(100 + i % 10), *b = calloc(10, 10);
    memset(a, i, 100);
    memcpy(b, a, 100);
    memmove(b + 1, b, 50);
    int same = memcmp(a, b, 10) == 0;
    a = realloc(a, 300);
    free(a);
    free(b);
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return same + (int)now.tv_nsec + (int)strlen(getenv("PATH"));
}

static void *worker(void *p) {
    for (int i = 0; i < 5000; i++) work(i);
    return p;
}

int main(void) {
    pthread_t threads[3];
    for (int i = 0; i < 3; i++) pthread_create(&threads[i], 0, worker, 0);
    worker(0);
    for (int i = 0; i < 3; i++) pthread_join(threads[i], 0);
    int fd = open("/dev/null", O_RDWR);
    char c = 0;
    for (int i = 0; i < 100; i++) if (write(fd, &c, 1) != 1 || read(fd, &c, 1) != 0) return 2;
    close(fd);
    void *page = mmap(0, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    munmap(page, 4096);
    if (syscall(SYS_getpid) != getpid()) return 3;
    sigset_t set;
    sigemptyset(&set);
    sigprocmask(SIG_BLOCK, &set, 0);
    struct sigaction old;
    sigaction(SIGUSR1, NULL, &old);
#ifndef STATIC
    for (int i = 0; i < 5; i++) dlclose(dlopen("libm.so.6", RTLD_NOW));
#endif
    return 0;
}
