// refused_calls CALLS ANSWER NUMBER...: from the middle of the run on, the kernel refuses the system calls of these numbers (seccomp):
// ANSWER is an error number, or "kill". Makes CALLS calls before and after, in main and in a second thread; exit status 7, 8 when
// errno was changed.
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#define SILENT __attribute__((no_instrument_function))

static volatile unsigned total;
static volatile int changed;
static pthread_barrier_t meet;
static long count;

__attribute__((noinline)) void leaf(void) { total++; }

static SILENT void calls(void) {
    for (long i = 0; i < count; i++) {
        errno = 1 + (int)(i % 133);
        leaf();
        if (errno != 1 + (int)(i % 133)) changed = 1;
    }
}

static SILENT void* second(void* argument) {
    calls();
    pthread_barrier_wait(&meet);
    pthread_barrier_wait(&meet);
    calls();
    return argument;
}

static SILENT int refuse(int numbers, char** text, unsigned answer) {
    struct sock_filter rules[256];
    unsigned short length = 0;
    rules[length++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
    for (int i = 0; i < numbers && length < 250; i++) {
        rules[length++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)atoi(text[i]), 0, 1);
        rules[length++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, answer);
    }
    rules[length++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    struct sock_fprog program = {length, rules};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

int main(int argc, char** argv) {
    pthread_t thread;
    if (argc < 3) return 9;
    count = atol(argv[1]);
    // The second thread is there already: the filter is for main, and for threads that it begins.
    pthread_barrier_init(&meet, NULL, 2);
    if (pthread_create(&thread, NULL, second, NULL) != 0) return 9;
    calls();
    pthread_barrier_wait(&meet);
    if (refuse(argc - 3, argv + 3, strcmp(argv[2], "kill") == 0 ? SECCOMP_RET_KILL_PROCESS : SECCOMP_RET_ERRNO | (unsigned)atoi(argv[2])))
        return 9;
    pthread_barrier_wait(&meet);
    calls();
    pthread_join(thread, NULL);
    printf("%u\n", total != 0);
    return changed ? 8 : 7;
}
