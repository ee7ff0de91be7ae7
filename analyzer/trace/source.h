// The bytes of a file, read piece by piece. Not mapped: a trace may be cut while it is read (its program runs on, or is run
// again), and that must be a short read and not a signal.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace fnprof::trace {

class Source {
  public:
    // Throws TraceError::kUnreadable. A pipe or device is read to its end at once.
    static Source open(const std::string& path);
    static Source from_bytes(std::vector<uint8_t> bytes, std::string name);

    ~Source();
    Source(Source&& other) noexcept;
    Source& operator=(Source&& other) noexcept;

    const std::string& name() const { return name_; }
    uint64_t size() const { return size_; }  // when it was opened

    // Copies up to `bytes` bytes from `offset` on; fewer at the end of the file or where it cannot be read.
    size_t read(uint64_t offset, uint8_t* to, size_t bytes) const;

  private:
    Source() = default;

    std::string name_;
    uint64_t size_ = 0;
    int descriptor_ = -1;         // -1: `bytes_` holds everything
    std::vector<uint8_t> bytes_;
};

// A view that slides over a source. A span is valid until the next call.
class SourceWindow {
  public:
    explicit SourceWindow(const Source& source) : source_(&source) {}

    // Bytes from `offset` on, `bytes` of them or as many as there are.
    std::span<const uint8_t> at(uint64_t offset, size_t bytes);

  private:
    static constexpr size_t kReadAhead = 1 << 20;

    const Source* source_;
    std::vector<uint8_t> buffer_;
    uint64_t begin_ = 0;  // offset of the buffer's first byte
    size_t filled_ = 0;
};

}  // namespace fnprof::trace
