// Plain byte work: copies, comparisons and text, without the C library.
//
// Context: any; signal-safe.
#pragma once

#include <cstddef>
#include <cstdint>

namespace fnprof::rt {

void copy_bytes(void* to, const void* from, size_t bytes);
void zero_bytes(void* to, size_t bytes);
bool equal_bytes(const void* a, const void* b, size_t bytes);
size_t text_length(const char* text);
bool equal_text(const char* a, const char* b);
bool starts_with(const char* text, const char* beginning);

// Text built in a caller's buffer: always terminated, cut when full (`cut()` tells).
class TextBuffer {
  public:
    TextBuffer(char* buffer, size_t capacity) : buffer_(buffer), capacity_(capacity) {
        if (capacity_ != 0) buffer_[0] = 0;
    }
    TextBuffer& add(const char* text);
    TextBuffer& add(const char* text, size_t length);
    TextBuffer& add(char c) { return add(&c, 1); }
    TextBuffer& add_decimal(uint64_t value);
    const char* text() const { return buffer_; }
    size_t length() const { return length_; }
    bool cut() const { return cut_; }

  private:
    char* buffer_;
    size_t capacity_;
    size_t length_ = 0;
    bool cut_ = false;
};

}  // namespace fnprof::rt
