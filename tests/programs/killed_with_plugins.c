// killed_with_plugins FIRST SECOND: loads the library FIRST, calls it twice and unloads it, loads SECOND, calls it three times and is
// killed. With PLUGIN defined: such a library, whose function has that name.
#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>

#ifdef PLUGIN
static volatile int sink;
static void PLUGIN(void) { sink++; }
__attribute__((no_instrument_function)) void call(int times) {
    while (times-- > 0) PLUGIN();
}
#else
__attribute__((no_instrument_function)) static void* use(const char* path, int times) {
    void* const library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) {
        fprintf(stderr, "%s\n", dlerror());
        return NULL;
    }
    void (*const call)(int) = (void (*)(int))dlsym(library, "call");
    call(times);
    return library;
}

int main(int count, char** arguments) {
    if (count != 3) return 2;
    void* const first = use(arguments[1], 2);
    if (first == NULL || dlclose(first) != 0 || use(arguments[2], 3) == NULL) return 1;
    raise(SIGKILL);
    return 1;
}
#endif
