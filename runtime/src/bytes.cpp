// Built with -fno-builtin -fno-tree-loop-distribute-patterns: otherwise the compiler would turn these loops into calls of
// the functions that they implement. memcpy & co. are defined here, hidden, because zstd and the compiler refer to them
// and the program under test may have replaced (and instrumented) the C library's.
#include "bytes.h"

extern "C" {

__attribute__((used)) void* memcpy(void* __restrict to, const void* __restrict from, size_t bytes) {
    void* result = to;
    __asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(bytes) : : "memory");
    return result;
}

__attribute__((used)) void* memmove(void* to, const void* from, size_t bytes) {
    auto* t = static_cast<unsigned char*>(to);
    auto* f = static_cast<const unsigned char*>(from);
    if (t == f || bytes == 0) return to;
    if (t < f || t >= f + bytes) return memcpy(to, from, bytes);
    while (bytes-- != 0) t[bytes] = f[bytes];
    return to;
}

__attribute__((used)) void* memset(void* to, int value, size_t bytes) {
    void* result = to;
    __asm__ volatile("rep stosb" : "+D"(to), "+c"(bytes) : "a"(value) : "memory");
    return result;
}

__attribute__((used)) int memcmp(const void* a, const void* b, size_t bytes) {
    auto* x = static_cast<const unsigned char*>(a);
    auto* y = static_cast<const unsigned char*>(b);
    for (size_t i = 0; i < bytes; i++)
        if (x[i] != y[i]) return x[i] - y[i];
    return 0;
}

}  // extern "C"

namespace fnprof::rt {

void copy_bytes(void* to, const void* from, size_t bytes) { memcpy(to, from, bytes); }
void zero_bytes(void* to, size_t bytes) { memset(to, 0, bytes); }
bool equal_bytes(const void* a, const void* b, size_t bytes) { return memcmp(a, b, bytes) == 0; }

size_t text_length(const char* text) {
    size_t n = 0;
    while (text[n] != 0) n++;
    return n;
}

bool equal_text(const char* a, const char* b) {
    while (*a != 0 && *a == *b) a++, b++;
    return *a == *b;
}

bool starts_with(const char* text, const char* beginning) {
    while (*beginning != 0 && *text == *beginning) text++, beginning++;
    return *beginning == 0;
}

TextBuffer& TextBuffer::add(const char* text) { return add(text, text_length(text)); }

TextBuffer& TextBuffer::add(const char* text, size_t length) {
    size_t room = capacity_ > length_ ? capacity_ - length_ - 1 : 0;
    size_t taken = length < room ? length : room;
    cut_ = cut_ || taken < length;
    memcpy(buffer_ + length_, text, taken);
    length_ += taken;
    if (capacity_ != 0) buffer_[length_] = 0;
    return *this;
}

TextBuffer& TextBuffer::add_decimal(uint64_t value) {
    char digits[20];
    size_t n = sizeof digits;
    do digits[--n] = static_cast<char>('0' + value % 10);
    while ((value /= 10) != 0);
    return add(digits + n, sizeof digits - n);
}

}  // namespace fnprof::rt
