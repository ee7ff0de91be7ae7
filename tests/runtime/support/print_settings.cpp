#include "settings.h"

#include <cstdio>

int main() {
    fnprof::rt::Settings settings;
    fnprof::rt::read_settings(settings);
    std::printf("%s %d\n", settings.output, settings.verbose);
}
