// process_ends HOW: makes 1,000 calls of leaf in main and 1,000 in a second thread, then ends in one of many ways.
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static volatile unsigned total;
static const char* how = "return";

void leaf(void) { total++; }
void at_exit(void) { leaf(); }
void at_quick_end(void) { leaf(); }

void* second(void* argument) {
    for (int i = 0; i < 1000; ++i) leaf();
    if (strcmp(how, "exit_in_thread") == 0) exit(7);
    return argument;
}

void* outlive_main(void* main_thread) {
    pthread_join(*(pthread_t*)main_thread, NULL);
    for (int i = 0; i < 1000; ++i) leaf();
    return NULL;
}

int main(int argc, char** argv) {
    static pthread_t thread, main_thread;
    if (argc > 1) how = argv[1];
    atexit(at_exit);
    at_quick_exit(at_quick_end);
    for (int i = 0; i < 1000; ++i) leaf();
    if (strcmp(how, "pthread_exit_of_main") == 0) {
        main_thread = pthread_self();
        pthread_create(&thread, NULL, outlive_main, &main_thread);
        pthread_exit(NULL);
    }
    pthread_create(&thread, NULL, second, NULL);
    pthread_join(thread, NULL);
    if (strcmp(how, "quick_exit") == 0) quick_exit(7);
    if (strcmp(how, "_exit") == 0) _exit(7);
    if (strcmp(how, "abort") == 0) abort();
    if (strcmp(how, "kill") == 0) raise(SIGKILL);
    return 7;
}
