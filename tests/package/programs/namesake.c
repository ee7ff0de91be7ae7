/* A program that is a compressor itself: it defines names that the library has inside, and is instrumented.
 * Each is called once by main: 7 calls. Any call of them by the library would be recorded too, or end the program.
 */
#include <stdlib.h>

#ifdef __cplusplus
extern "C" {
#endif

static int expected;

__attribute__((no_instrument_function)) static void once(int number) {
    if (number != expected++) abort();
}

void *ZSTD_initStaticCCtx(void *memory, size_t bytes) {
    once(0);
    return bytes != 0 ? memory : NULL;
}
size_t ZSTD_compressBegin_advanced(void) {
    once(1);
    return 0;
}
size_t ZSTD_compressContinue(void) {
    once(2);
    return 0;
}
size_t ZSTD_compressEnd(void) {
    once(3);
    return 0;
}
unsigned long long ZSTD_trace_compress_begin(const void *context) {
    once(4);
    return context != NULL;
}
/* fnprof::rt::read_settings(fnprof::rt::Settings&) */
void _ZN6fnprof2rt13read_settingsERNS0_8SettingsE(void) { once(5); }

#ifdef __cplusplus
}
#endif

int main(void) {
    char memory[8];
    if (ZSTD_initStaticCCtx(memory, sizeof memory) == NULL) return 1;
    ZSTD_compressBegin_advanced();
    ZSTD_compressContinue();
    ZSTD_compressEnd();
    if (ZSTD_trace_compress_begin(memory) != 1) return 1;
    _ZN6fnprof2rt13read_settingsERNS0_8SettingsE();
    return 0;
}
