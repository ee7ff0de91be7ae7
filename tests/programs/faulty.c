// faulty KIND: makes one fault of the kind that a sanitizer looks for, in inner, called by outer, called by main.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int shared;
static void *volatile kept;
volatile int zero;

void *increment(void *unused) {
    for (int i = 0; i < 1000; i++) shared++;
    return unused;
}

void inner(const char *kind) {
    if (strcmp(kind, "address") == 0) {
        volatile char *bytes = malloc(10);
        bytes[10 + zero] = 1;
        free((void *)bytes);
    } else if (strcmp(kind, "undefined") == 0) {
        shared = 0x7fffffff;
        shared += 1 + zero;
    } else if (strcmp(kind, "leak") == 0) {
        for (int i = 0; i < 10; i++) kept = malloc(77);
        kept = NULL;
    } else if (strcmp(kind, "memory") == 0) {
        int *value = malloc(sizeof *value);
        if (*value == 42) puts("42");
        free(value);
    } else if (strcmp(kind, "thread") == 0) {
        pthread_t threads[2];
        for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, increment, NULL);
        for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    }
}

void outer(const char *kind) {
    inner(kind);
    zero = 0;
}

int main(int count, char **arguments) {
    outer(count > 1 ? arguments[1] : "none");
    return 0;
}
