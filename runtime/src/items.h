// Builds the payload of a metadata block: items as layout.h has them, back to back.
//
// Context: init, collector; signal-safe. Not thread-safe: the owner's lock guards it.
#pragma once

#include "../format/layout.h"
#include "bytes.h"
#include "memory.h"

namespace fnprof::rt {

// Items are built one at a time: begin, put..., finish. When memory runs out the item under construction vanishes at
// finish() and failed() turns true; the items before it stay.
class ItemWriter {
  public:
    void begin(format::ItemType type);
    template <class T>
    void put(const T& value) {
        static_assert(__is_trivially_copyable(T));
        put_bytes(&value, sizeof value);
    }
    void put_bytes(const void* from, size_t bytes);
    // u32 length and the bytes.
    void put_string(const void* from, size_t bytes);
    void put_string(const char* text) { put_string(text, text_length(text)); }
    void finish();

    // An item that is one plain struct.
    template <class T>
    void write(format::ItemType type, const T& value) {
        begin(type);
        put(value);
        finish();
    }

    // Where in the payload the next byte goes, and a u32 written there later (counts that are known at the end only).
    size_t position() const { return size_; }
    void patch_u32(size_t position, uint32_t value);

    const uint8_t* data() const { return memory_.data(); }
    size_t size() const { return size_; }
    bool empty() const { return size_ == 0; }
    bool failed() const { return failed_; }
    void reset() { size_ = 0, failed_ = false; }
    void release() { memory_.release(), reset(); }

  private:
    GrowingMemory memory_;
    size_t size_ = 0;
    size_t item_ = 0;   // where the item under construction begins
    bool cut_ = false;  // it did not fit
    bool failed_ = false;
};

// The process item with its strings: executable, working directory, host and command line, each read from the kernel.
// `working_directory` is that at the program's start when it is known, else nullptr: the present one.
void write_process_item(ItemWriter& writer, const format::ProcessItem& process, const char* working_directory);

}  // namespace fnprof::rt
