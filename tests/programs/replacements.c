// Functions of the C library, replaced by instrumented ones that count their own calls: in a program, a preloaded library or a static
// link (STATIC: without those that lead to libc's own through the loader). Prints the counts when all is over.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>

#define QUIET __attribute__((no_instrument_function))
#define FUNCTIONS(each)                                                                                                       \
    each(malloc) each(calloc) each(realloc) each(free) each(memcpy) each(memmove) each(memset) each(memcmp) each(strlen)        \
    each(clock_gettime) each(write) each(open) each(close) each(read) each(mmap) each(munmap) each(syscall) each(getpid)        \
    each(sigaction) each(sigprocmask) each(getenv) each(dlopen) each(pthread_create)
#define COUNTER(name) static unsigned long calls_of_##name;
FUNCTIONS(COUNTER)
#define COUNT(name) __atomic_fetch_add(&calls_of_##name, 1, __ATOMIC_RELAXED)

QUIET static long call(long number, long a, long b, long c, long d, long e, long f) {
    long result;
    register long r10 __asm__("r10") = d;
    register long r8 __asm__("r8") = e;
    register long r9 __asm__("r9") = f;
    __asm__ volatile("syscall" : "=a"(result) : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9) : "rcx", "r11", "memory");
    return result;
}
QUIET static long checked(long result) {
    if (result < 0 && result > -4096) {
        errno = (int)-result;
        return -1;
    }
    return result;
}

static char heap[64 << 20] __attribute__((aligned(16)));
static size_t used;
QUIET static void *take(size_t bytes) {
    size_t whole = (bytes + 31) & ~(size_t)15;
    size_t at = __atomic_fetch_add(&used, whole, __ATOMIC_RELAXED);
    if (at + whole > sizeof heap) return NULL;
    *(size_t *)(heap + at) = bytes;
    return heap + at + 16;
}
void *malloc(size_t bytes) { COUNT(malloc); return take(bytes); }
void *calloc(size_t n, size_t bytes) { COUNT(calloc); return take(n * bytes); }
void free(void *p) { COUNT(free); (void)p; }
void *memcpy(void *restrict to, const void *restrict from, size_t n) {
    COUNT(memcpy);
    for (volatile char *t = to, *f = (char *)from; n-- != 0;) *t++ = *f++;
    return to;
}
void *memmove(void *to, const void *from, size_t n) {
    COUNT(memmove);
    volatile char *t = to, *f = (char *)from;
    if (t < f) while (n-- != 0) *t++ = *f++;
    else while (n-- != 0) t[n] = f[n];
    return to;
}
void *memset(void *to, int value, size_t n) {
    COUNT(memset);
    for (volatile char *t = to; n-- != 0;) *t++ = (char)value;
    return to;
}
int memcmp(const void *a, const void *b, size_t n) {
    COUNT(memcmp);
    const volatile unsigned char *x = a, *y = b;
    for (; n-- != 0; x++, y++) if (*x != *y) return *x - *y;
    return 0;
}
void *realloc(void *old, size_t bytes) {
    COUNT(realloc);
    void *p = take(bytes);
    if (old != NULL && p != NULL) {
        size_t n = ((size_t *)old)[-2] < bytes ? ((size_t *)old)[-2] : bytes;
        for (size_t i = 0; i < n; i++) ((volatile char *)p)[i] = ((char *)old)[i];
    }
    return p;
}
size_t strlen(const char *text) {
    COUNT(strlen);
    const volatile char *t = text;
    while (*t != 0) t++;
    return (size_t)((const char *)t - text);
}
int clock_gettime(clockid_t clock, struct timespec *to) { COUNT(clock_gettime); return (int)checked(call(SYS_clock_gettime, clock, (long)to, 0, 0, 0, 0)); }
ssize_t write(int fd, const void *from, size_t n) { COUNT(write); return checked(call(SYS_write, fd, (long)from, (long)n, 0, 0, 0)); }
ssize_t read(int fd, void *to, size_t n) { COUNT(read); return checked(call(SYS_read, fd, (long)to, (long)n, 0, 0, 0)); }
int open(const char *path, int flags, ...) {
    COUNT(open);
    va_list rest;
    va_start(rest, flags);
    int mode = (flags & O_CREAT) != 0 ? va_arg(rest, int) : 0;
    va_end(rest);
    return (int)checked(call(SYS_open, (long)path, flags, mode, 0, 0, 0));
}
int close(int fd) { COUNT(close); return (int)checked(call(SYS_close, fd, 0, 0, 0, 0, 0)); }
void *mmap(void *at, size_t n, int protection, int flags, int fd, off_t offset) { COUNT(mmap); return (void *)checked(call(SYS_mmap, (long)at, (long)n, protection, flags, fd, offset)); }
int munmap(void *at, size_t n) { COUNT(munmap); return (int)checked(call(SYS_munmap, (long)at, (long)n, 0, 0, 0, 0)); }
long syscall(long number, ...) {
    COUNT(syscall);
    va_list rest;
    va_start(rest, number);
    long a = va_arg(rest, long), b = va_arg(rest, long), c = va_arg(rest, long), d = va_arg(rest, long), e = va_arg(rest, long), f = va_arg(rest, long);
    va_end(rest);
    return checked(call(number, a, b, c, d, e, f));
}
pid_t getpid(void) { COUNT(getpid); return (pid_t)call(SYS_getpid, 0, 0, 0, 0, 0, 0); }
int sigprocmask(int how, const sigset_t *set, sigset_t *old) { COUNT(sigprocmask); return (int)checked(call(SYS_rt_sigprocmask, how, (long)set, (long)old, 8, 0, 0)); }
int sigaction(int number, const struct sigaction *action, struct sigaction *old) { COUNT(sigaction); return (int)checked(call(SYS_rt_sigaction, number, (long)action, (long)old, 8, 0, 0)); }
extern char **environ;
char *getenv(const char *name) {
    COUNT(getenv);
    for (char **e = environ; *e != NULL; e++) {
        const char *n = name, *v = *e;
        while (*n != 0 && *n == *v) n++, v++;
        if (*n == 0 && *v == '=') return (char *)v + 1;
    }
    return NULL;
}
#ifndef STATIC
void *dlopen(const char *path, int flags) {
    COUNT(dlopen);
    return ((void *(*)(const char *, int))dlsym(RTLD_NEXT, "dlopen"))(path, flags);
}
int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *), void *argument) {
    COUNT(pthread_create);
    typedef int create(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    return ((create *)dlsym(RTLD_NEXT, "pthread_create"))(thread, attributes, start, argument);
}
#endif

QUIET static void say(const char *name, unsigned long count) {
    char line[64];
    int n = 0;
    while (name[n] != 0) line[n] = name[n], n++;
    line[n++] = ' ';
    char digits[20];
    int d = 0;
    do digits[d++] = (char)('0' + count % 10); while ((count /= 10) != 0);
    while (d != 0) line[n++] = digits[--d];
    line[n++] = '\n';
    call(SYS_write, 1, (long)line, n, 0, 0, 0);
}
// After all others that call anything here.
QUIET __attribute__((destructor(101))) static void say_counts(void) {
#define SAY(name) say(#name, calls_of_##name);
    FUNCTIONS(SAY)
}
