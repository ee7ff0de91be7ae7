// ends_like_no_other HOW: unusual ways for a process to end. "exit": its only thread leaves by the raw system call, which ends the
// thread. "pwrite", "fallocate": killed in that system call, which a function makes need of that runs when fnprof has ended already
// (in a static program).
#define _GNU_SOURCE
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static volatile unsigned total;
static int deadly_call = -1;

void leaf(void) { total++; }

static __attribute__((no_instrument_function)) int make_deadly(int number) {
    struct sock_filter rules[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)number, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof rules / sizeof rules[0], rules};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

__attribute__((destructor(0), no_instrument_function)) void last_of_all(void) {
    if (deadly_call < 0) return;
    if (make_deadly(deadly_call) != 0) _exit(9);
    leaf();
}

int main(int argc, char** argv) {
    const char* how = argc > 1 ? argv[1] : "";
    for (int i = 0; i < 100000; i++) leaf();
    if (strcmp(how, "exit") == 0) syscall(SYS_exit, 7);
    if (strcmp(how, "pwrite") == 0) deadly_call = SYS_pwrite64;
    if (strcmp(how, "fallocate") == 0) deadly_call = SYS_fallocate;
    return 0;
}
