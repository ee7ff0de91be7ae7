// Anonymous memory that grows: the runtime's only heap. Zero-filled; moves when it grows, so pointers into it do not last.
//
// Context: collector, init; signal-safe. Not thread-safe: the owner's lock guards it.
#pragma once

#include "bytes.h"
#include "sys.h"

namespace fnprof::rt {

// Pages for `bytes` bytes, or nullptr.
inline void* map_pages(size_t bytes) {
    long r = sys::mmap(nullptr, bytes, sys::kProtRead | sys::kProtWrite, sys::kMapPrivate | sys::kMapAnonymous, -1, 0);
    return sys::failed(r) ? nullptr : reinterpret_cast<void*>(r);
}

// Invariant: data() holds capacity() bytes, a multiple of the page size; the bytes never written are zero.
class GrowingMemory {
  public:
    uint8_t* data() const { return data_; }
    size_t capacity() const { return capacity_; }

    // Makes room for `bytes`; false when the kernel has no more, the content is then unchanged.
    [[nodiscard]] bool reserve(size_t bytes) {
        if (bytes <= capacity_) return true;
        if (bytes > SIZE_MAX / 4) return false;
        size_t capacity = capacity_ != 0 ? capacity_ : kFirstBytes;
        while (capacity < bytes) capacity *= 2;
        auto* larger = static_cast<uint8_t*>(map_pages(capacity));
        if (larger == nullptr) return false;
        GrowingMemory smaller = *this;
        if (smaller.data_ != nullptr) copy_bytes(larger, smaller.data_, smaller.capacity_);
        // In this order, and not by mremap: the child of a fork that another thread makes meanwhile has one whole memory or the other.
        __atomic_store_n(&data_, larger, __ATOMIC_RELEASE);
        __atomic_store_n(&capacity_, capacity, __ATOMIC_RELEASE);
        smaller.release();
        return true;
    }

    void release() {
        if (data_ != nullptr) sys::munmap(data_, capacity_);
        data_ = nullptr;
        capacity_ = 0;
    }

  private:
    static constexpr size_t kFirstBytes = 65536;
    uint8_t* data_ = nullptr;
    size_t capacity_ = 0;
};

}  // namespace fnprof::rt
