// takes_all_descriptors: closes every descriptor but the standard ones, as daemons do, takes all numbers for files of its own, and
// goes on in a new thread. Exit status 0 if its files are as it wrote them.
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static volatile unsigned total;

__attribute__((noinline)) void leaf(void) { total++; }
__attribute__((noinline)) void before(void) {
    for (int i = 0; i < 100; i++) leaf();
}
void* after(void* argument) {
    for (int i = 0; i < 200000; i++) leaf();
    return argument;
}

static __attribute__((no_instrument_function)) int is_intact(int fd) {
    char text[16] = "";
    struct stat stat;
    return fstat(fd, &stat) == 0 && stat.st_size == 5 && pread(fd, text, sizeof text, 0) == 5 && memcmp(text, "mine\n", 5) == 0;
}

int main(void) {
    enum { kNumbers = 1100 };
    int own[kNumbers];
    int count = 0, wrong = 0;
    pthread_t thread;
    before();
    for (int fd = 3; fd < kNumbers; fd++) close(fd);
    for (int i = 0; i < kNumbers; i++) {
        char name[32];
        snprintf(name, sizeof name, "own.%d", i);
        int fd = open(name, O_RDWR | O_CREAT | O_TRUNC, 0600);
        if (fd < 0) break;
        if (write(fd, "mine\n", 5) != 5) return 2;
        own[count++] = fd;
    }
    // Leaves some numbers for whoever needs them.
    for (int i = 0; i < 8; i++) close(own[--count]);
    if (pthread_create(&thread, NULL, after, NULL) != 0) return 3;
    pthread_join(thread, NULL);
    for (int i = 0; i < count; i++) wrong += !is_intact(own[i]);
    return wrong != 0;
}
