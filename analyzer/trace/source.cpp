#include "trace/source.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "trace/trace_error.h"

namespace fnprof::trace {

namespace {

[[noreturn]] void fail(const std::string& path, int error) {
    throw TraceError(TraceError::Kind::kUnreadable, "cannot read " + path + ": " + std::strerror(error));
}

// Like pread, but whole: short only at the end of the file or at an error.
size_t read_at(int descriptor, uint64_t offset, uint8_t* to, size_t bytes) {
    size_t done = 0;
    while (done < bytes) {
        const ssize_t got = pread(descriptor, to + done, bytes - done, static_cast<off_t>(offset + done));
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) break;
        done += static_cast<size_t>(got);
    }
    return done;
}

std::vector<uint8_t> read_stream(int descriptor, const std::string& path) {
    constexpr size_t kStep = 1 << 20;
    std::vector<uint8_t> bytes;
    for (;;) {
        const size_t filled = bytes.size();
        bytes.resize(filled + kStep);
        const ssize_t got = ::read(descriptor, bytes.data() + filled, kStep);
        if (got < 0 && errno != EINTR) {
            const int error = errno;
            close(descriptor);
            fail(path, error);
        }
        bytes.resize(filled + static_cast<size_t>(std::max<ssize_t>(got, 0)));
        if (got == 0) return bytes;
    }
}

}  // namespace

Source Source::open(const std::string& path) {
    const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) fail(path, errno);
    struct stat status{};
    if (fstat(descriptor, &status) != 0 || S_ISDIR(status.st_mode)) {
        const int error = S_ISDIR(status.st_mode) ? EISDIR : errno;
        close(descriptor);
        fail(path, error);
    }
    if (!S_ISREG(status.st_mode)) {
        Source source = from_bytes(read_stream(descriptor, path), path);
        close(descriptor);
        return source;
    }
    Source source;
    source.name_ = path;
    source.descriptor_ = descriptor;
    source.size_ = static_cast<uint64_t>(status.st_size);
    return source;
}

Source Source::from_bytes(std::vector<uint8_t> bytes, std::string name) {
    Source source;
    source.name_ = std::move(name);
    source.size_ = bytes.size();
    source.bytes_ = std::move(bytes);
    return source;
}

Source::~Source() {
    if (descriptor_ >= 0) close(descriptor_);
}

Source::Source(Source&& other) noexcept
    : name_(std::move(other.name_)),
      size_(other.size_),
      descriptor_(std::exchange(other.descriptor_, -1)),
      bytes_(std::move(other.bytes_)) {}

Source& Source::operator=(Source&& other) noexcept {
    std::swap(name_, other.name_);
    std::swap(size_, other.size_);
    std::swap(descriptor_, other.descriptor_);
    std::swap(bytes_, other.bytes_);
    return *this;
}

size_t Source::read(uint64_t offset, uint8_t* to, size_t bytes) const {
    if (offset >= size_ || bytes == 0) return 0;
    bytes = static_cast<size_t>(std::min<uint64_t>(bytes, size_ - offset));
    if (descriptor_ >= 0) return read_at(descriptor_, offset, to, bytes);
    std::memcpy(to, bytes_.data() + offset, bytes);
    return bytes;
}

std::span<const uint8_t> SourceWindow::at(uint64_t offset, size_t bytes) {
    const bool held = offset >= begin_ && offset - begin_ <= filled_ && filled_ - (offset - begin_) >= bytes;
    if (!held) {
        // Never more than the file has: a length may come out of a damaged header.
        const uint64_t rest = source_->size() - std::min(offset, source_->size());
        const auto wanted = static_cast<size_t>(std::min<uint64_t>(rest, std::max(bytes, kReadAhead)));
        if (buffer_.size() < wanted) buffer_.resize(wanted);
        begin_ = offset;
        filled_ = source_->read(offset, buffer_.data(), wanted);
    }
    const auto skipped = static_cast<size_t>(offset - begin_);
    return std::span<const uint8_t>(buffer_).subspan(skipped, std::min(bytes, filled_ - skipped));
}

}  // namespace fnprof::trace
