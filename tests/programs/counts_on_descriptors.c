// counts_on_descriptors: a program that knows which numbers its descriptors get. It opens and expects the lowest number that it left
// free, and puts a file of its own on a number that it never gave away. Threads wait meanwhile, so that fnprof has names to look
// up. Last, it closes the one end of a pipe and expects the other to end. Exit status 0 if all is as it expects.
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

enum { kThreads = 200, kRounds = 400000 };

static volatile unsigned total;
static pthread_barrier_t begun, done;

__attribute__((noinline)) void leaf(void) { total++; }
void* waiting(void* argument) {
    pthread_barrier_wait(&begun);
    pthread_barrier_wait(&done);
    return argument;
}

int main(void) {
    pthread_t threads[kThreads];
    pthread_attr_t small;
    int wrong_numbers = 0, lost = 0, moved = 0;
    int ends[2];
    if (pipe(ends) != 0 || fcntl(ends[0], F_SETFL, O_NONBLOCK) != 0) return 4;
    int own = open("own", O_RDWR | O_CREAT | O_TRUNC, 0600);
    if (own != ends[1] + 1 || write(own, "a file of the program's own\n", 28) != 28) return 2;
    pthread_barrier_init(&begun, NULL, kThreads + 1);
    pthread_barrier_init(&done, NULL, kThreads + 1);
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, 65536);
    for (int i = 0; i < kThreads; i++)
        if (pthread_create(&threads[i], &small, waiting, NULL) != 0) return 3;
    pthread_barrier_wait(&begun);
    for (int i = 0; i < kRounds; i++) {
        leaf();
        close(0);
        if (open("/dev/null", O_RDONLY) != 0) wrong_numbers++, dup2(own, 0);
        lseek(own, 0, SEEK_SET);
        dup2(own, own + 1);
        leaf();
        if (fcntl(own + 1, F_GETFD) < 0) lost++;
        if (lseek(own, 0, SEEK_CUR) != 0) moved++;
        close(own + 1);
    }
    pthread_barrier_wait(&done);
    for (int i = 0; i < kThreads; i++) pthread_join(threads[i], NULL);
    char byte;
    close(ends[1]);
    const int still_held = read(ends[0], &byte, 1) != 0;
    if (still_held) printf("somebody else holds the pipe\n");
    if (wrong_numbers + lost + moved != 0) printf("%d wrong numbers, %d descriptors closed, %d files read\n", wrong_numbers, lost, moved);
    return wrong_numbers + lost + moved + still_held != 0;
}
