// Replaces __cxa_throw, as programs do that print where they throw: counts, and goes on to the C++ library's. Prints the count.
#include <dlfcn.h>
#include <cstdio>
#include <cstdlib>

#define NOINLINE __attribute__((noinline))
static int throws;
extern "C" {
[[noreturn]] void __cxa_throw(void *object, void *type, void (*destructor)(void *)) {
    throws++;
    using Throw = void(void *, void *, void (*)(void *));
    reinterpret_cast<Throw *>(dlsym(RTLD_NEXT, "__cxa_throw"))(object, type, destructor);
    std::abort();
}
NOINLINE void thrower(int number) { throw number; }
NOINLINE void handled() { __asm__ volatile(""); }
NOINLINE void catcher(int number) {
    try {
        thrower(number);
    } catch (int) {
        handled();
    }
}
}

int main() {
    for (int i = 0; i < 10; i++) catcher(i);
    std::printf("%d\n", throws);
    return 0;
}
