/* Loads a plugin the way that language run-times do, for itself alone, and calls its leaf() three times.
 *   host PLUGIN [lazy] [idle] [unload] [fork]
 * lazy: bound at first call; idle: leaf is not called; unload: the plugin is gone at the end; fork: a child ends normally too
 * Never instrumented itself.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int wanted(int count, char **words, const char *word) {
    for (int i = 2; i < count; i++)
        if (strcmp(words[i], word) == 0) return 1;
    return 0;
}

int main(int argc, char **argv) {
    void *plugin = dlopen(argv[1], RTLD_LOCAL | (wanted(argc, argv, "lazy") ? RTLD_LAZY : RTLD_NOW));
    if (plugin == NULL) {
        fprintf(stderr, "%s\n", dlerror());
        return 1;
    }
    void (*leaf)(void) = (void (*)(void))dlsym(plugin, "leaf");
    if (leaf == NULL) return 1;
    for (int i = 0; i < 3 && !wanted(argc, argv, "idle"); i++) leaf();
    if (wanted(argc, argv, "unload")) dlclose(plugin);
    if (wanted(argc, argv, "fork")) {
        pid_t child = fork();
        if (child == 0) exit(0);
        int status = 0;
        if (waitpid(child, &status, 0) != child || status != 0) return 1;
    }
    return 0;
}
