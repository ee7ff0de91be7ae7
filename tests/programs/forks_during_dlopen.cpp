// forks_during_dlopen PLUGIN: while another thread is inside of dlopen (the plugin's constructor calls stay_in_constructor), forks a
// child with the C library and one without it. Each throws for the first time in its life.
#include <dlfcn.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cstdio>

#define NOINLINE __attribute__((noinline))
static int in_constructor[2], go_on[2];

extern "C" {
__attribute__((visibility("default"))) void stay_in_constructor() {
    char byte = 0;
    if (write(in_constructor[1], &byte, 1) != 1 || read(go_on[0], &byte, 1) != 1) _exit(5);
}
NOINLINE void leaf() { __asm__ volatile(""); }
NOINLINE void thrower() { throw 5; }
NOINLINE void catcher() {
    try {
        thrower();
    } catch (int) {
        leaf();
    }
}
NOINLINE void *load(void *path) { return dlopen(static_cast<const char *>(path), RTLD_NOW); }
}

int main(int, char **arguments) {
    if (pipe(in_constructor) != 0 || pipe(go_on) != 0) return 4;
    pthread_t thread;
    pthread_create(&thread, nullptr, load, arguments[1]);
    char byte = 0;
    if (read(in_constructor[0], &byte, 1) != 1) return 3;
    for (int raw = 0; raw < 2; raw++) {
        pid_t child = raw != 0 ? static_cast<pid_t>(syscall(SYS_fork)) : fork();
        if (child == 0) {
            alarm(60);
            catcher();
            _exit(0);
        }
        int status = 1;
        waitpid(child, &status, 0);
        if (status != 0) {
            std::fprintf(stderr, "%s fork: status %x\n", raw != 0 ? "raw" : "library's", status);
            _exit(7);
        }
    }
    if (write(go_on[1], &byte, 1) != 1) return 2;
    pthread_join(thread, nullptr);
    return 0;
}
