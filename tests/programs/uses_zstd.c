// Compresses and decompresses a text with zstd, by several ways through it.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#define ROUNDS 12

static size_t checked(size_t result) {
    if (ZSTD_isError(result)) {
        fprintf(stderr, "%s\n", ZSTD_getErrorName(result));
        exit(3);
    }
    return result;
}

static void fill(char *text, size_t bytes) {
    for (size_t i = 0; i < bytes; i++) text[i] = (char)('a' + i * i % 23);
}

static int there_and_back(const char *text, size_t bytes, int level) {
    size_t bound = ZSTD_compressBound(bytes);
    void *packed = malloc(bound);
    char *unpacked = malloc(bytes);
    ZSTD_CCtx *context = ZSTD_createCCtx();
    checked(ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1));
    checked(ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, level));
    size_t size = checked(ZSTD_compress2(context, packed, bound, text, bytes));
    ZSTD_freeCCtx(context);
    int same = checked(ZSTD_decompress(unpacked, bytes, packed, size)) == bytes && memcmp(text, unpacked, bytes) == 0;
    free(packed);
    free(unpacked);
    return same;
}

int main(void) {
    static char text[300000];
    fill(text, sizeof text);
    for (int i = 0; i < ROUNDS; i++)
        if (!there_and_back(text, sizeof text, i + 1)) return 2;
    return 0;
}
