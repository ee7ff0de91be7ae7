// Opens plugins in the order of its arguments, calls each (plugin_entry(i) gives i), and looks whether dlerror() has anything to say
// that it should not. A first character says how: + RTLD_DEEPBIND, ! RTLD_GLOBAL, ~ RTLD_LAZY, @ a namespace of its own, - close;
// *N: the arguments after it N times.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST 64
static struct {
    const char *path;
    void *handle;
} plugins[MOST];

static void **find(const char *path) {
    int i = 0;
    while (i < MOST - 1 && plugins[i].handle != NULL && strcmp(plugins[i].path, path) != 0) i++;
    plugins[i].path = path;
    return &plugins[i].handle;
}

static void *open_as(char how, const char *path) {
    switch (how) {
        case '+': return dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
        case '!': return dlopen(path, RTLD_NOW | RTLD_GLOBAL);
        case '~': return dlopen(path, RTLD_LAZY | RTLD_LOCAL);
        case '@': return dlmopen(LM_ID_NEWLM, path, RTLD_NOW);
        default: return dlopen(path, RTLD_NOW | RTLD_LOCAL);
    }
}

static int use(char *argument, int number) {
    char how = *argument;
    char *path = strchr("+!~@-", how) != NULL ? argument + 1 : argument;
    void **handle = find(path);
    if (how == '-') {
        int failed = dlclose(*handle);
        *handle = NULL;
        return failed;
    }
    if (*handle == NULL) *handle = open_as(how, path);
    const char *error = dlerror();
    if (error == NULL) {
        int (*entry)(int) = (int (*)(int))dlsym(*handle, "plugin_entry");
        if (entry == NULL || entry(number) != number) return 3;
        error = dlerror();
    }
    if (error != NULL) fprintf(stderr, "%s: %s\n", argument, error);
    return error != NULL;
}

int main(int count, char **arguments) {
    int first = 1, rounds = 1;
    if (count > 1 && arguments[1][0] == '*') rounds = atoi(arguments[first++] + 1);
    for (int round = 0; round < rounds; round++)
        for (int i = first; i < count; i++) {
            int failed = use(arguments[i], i);
            if (failed != 0) return failed;
        }
    return 0;
}
