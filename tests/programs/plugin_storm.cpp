// plugin_storm ROUNDS PLUGIN...: a thread for each plugin opens, calls and closes it, one calls on and on, and the first one forks
// children that throw. Prints how many.
#include <dlfcn.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>
#include <atomic>
#include <cstdio>
#include <cstdlib>

#define NOINLINE __attribute__((noinline))
static int rounds;
static std::atomic<int> loaders;

extern "C" {
NOINLINE void leaf() { __asm__ volatile(""); }
NOINLINE void *busy(void *) {
    for (int i = 0; i < 200000; i++) leaf();
    return nullptr;
}
NOINLINE void *loader(void *path) {
    for (int i = 1; i <= rounds; i++) {
        void *handle = dlopen(static_cast<const char *>(path), RTLD_NOW | RTLD_LOCAL);
        if (handle == nullptr || reinterpret_cast<int (*)(int)>(dlsym(handle, "plugin_entry"))(i) != i || dlclose(handle) != 0) {
            std::fprintf(stderr, "%s: round %d\n", static_cast<const char *>(path), i);
            _exit(9);
        }
    }
    loaders--;
    return nullptr;
}
NOINLINE void child_throws() { throw 5; }
NOINLINE void child_catches() {
    try {
        child_throws();
    } catch (int) {
        leaf();
    }
}
}

int main(int count, char **arguments) {
    rounds = std::atoi(arguments[1]);
    loaders = count - 2;
    pthread_t threads[16];
    int started = 0;
    for (int i = 2; i < count; i++) pthread_create(&threads[started++], nullptr, loader, arguments[i]);
    pthread_create(&threads[started++], nullptr, busy, nullptr);
    int forks = 0;
    while (forks < 10 || loaders.load() != 0) {
        pid_t child = fork();
        if (child == 0) {
            alarm(60);
            child_catches();
            _exit(0);
        }
        int status = 0;
        if (child < 0 || waitpid(child, &status, 0) != child || status != 0) {
            std::fprintf(stderr, "child %d: status %x\n", forks, status);
            _exit(8);
        }
        forks++;
    }
    for (int i = 0; i < started; i++) pthread_join(threads[i], nullptr);
    std::printf("%d\n", forks);
    return 0;
}
