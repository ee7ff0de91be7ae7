// Has functions of its own, instrumented, with names of zstd's: those that compressing a trace would go through. All but one are
// called by nobody here; who does so all the same ends the program.
#include <stddef.h>
#include <unistd.h>

#define UNCALLED(name) \
    void *name(void) { _exit(4); }
UNCALLED(ZSTD_createCCtx)
UNCALLED(ZSTD_initStaticCCtx)
UNCALLED(ZSTD_compressStream2)
UNCALLED(ZSTD_compress2)
UNCALLED(ZSTD_compressBound)
UNCALLED(ZSTD_CCtx_setParameter)
UNCALLED(ZSTD_CCtx_reset)
UNCALLED(ZSTD_isError)
UNCALLED(ZSTD_getErrorName)
UNCALLED(ZSTD_compressBlock_fast)
UNCALLED(ZSTD_compressContinue)
UNCALLED(ZSTD_compressEnd)
UNCALLED(ZSTD_trace_compress_begin)
UNCALLED(ZSTD_trace_compress_end)
UNCALLED(ZSTD_customMalloc)
UNCALLED(ZSTD_XXH64)
UNCALLED(ZSTD_XXH64_update)
UNCALLED(XXH64)
UNCALLED(HUF_compress4X_repeat)
UNCALLED(HIST_count_wksp)
UNCALLED(FSE_buildCTable_wksp)

size_t ZSTD_compress(int n) { return n == 0 ? 0 : 1 + ZSTD_compress(n - 1); }

int main(void) {
    size_t made = 0;
    // More than a block of records: the collector compresses while the program runs.
    for (int i = 0; i < 1000; i++) made += ZSTD_compress(99);
    return made != 99000;
}
