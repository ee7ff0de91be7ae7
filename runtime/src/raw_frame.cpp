#include "raw_frame.h"

#include "bytes.h"

namespace fnprof::rt {

namespace {

constexpr uint8_t kMagic[4] = {0x28, 0xb5, 0x2f, 0xfd};
// Bits 7-6: content size of 4 bytes (2); bit 5: single segment; bit 2: content checksum.
constexpr uint8_t kDescriptor = 2 << 6 | 1 << 5 | 1 << 2;
constexpr size_t kFrameHeaderBytes = 9;
constexpr size_t kBlockHeaderBytes = 3;
constexpr size_t kMaxBlockBytes = 128 * 1024;
constexpr size_t kChecksumBytes = 4;

size_t put(uint8_t* to, const void* from, size_t bytes) {
    copy_bytes(to, from, bytes);
    return bytes;
}

// Bit 0: last block; bits 2-1: type, 0 = raw; then the size.
size_t put_block_header(uint8_t* to, size_t bytes, bool last) {
    auto word = static_cast<uint32_t>(bytes << 3 | (last ? 1 : 0));
    return put(to, &word, kBlockHeaderBytes);
}

constexpr uint64_t kPrime1 = 0x9E3779B185EBCA87, kPrime2 = 0xC2B2AE3D27D4EB4F, kPrime3 = 0x165667B19E3779F9,
                   kPrime4 = 0x85EBCA77C2B2AE63, kPrime5 = 0x27D4EB2F165667C5;

uint64_t rotate(uint64_t value, unsigned bits) { return value << bits | value >> (64 - bits); }
uint64_t mix(uint64_t lane, uint64_t input) { return rotate(lane + input * kPrime2, 31) * kPrime1; }

template <class T>
T load(const uint8_t* from) {
    T value;
    copy_bytes(&value, from, sizeof value);
    return value;
}

}  // namespace

ContentHash::ContentHash() : lanes_{kPrime1 + kPrime2, kPrime2, 0, 0 - kPrime1} {}

void ContentHash::consume_stripe(const uint8_t* stripe) {
    for (int i = 0; i < 4; i++) lanes_[i] = mix(lanes_[i], load<uint64_t>(stripe + 8 * i));
}

void ContentHash::add(const void* data, size_t bytes) {
    auto* at = static_cast<const uint8_t*>(data);
    size_t waiting = total_ % kStripeBytes;
    total_ += bytes;
    if (waiting + bytes < kStripeBytes) {
        copy_bytes(stripe_ + waiting, at, bytes);
        return;
    }
    if (waiting != 0) {
        copy_bytes(stripe_ + waiting, at, kStripeBytes - waiting);
        consume_stripe(stripe_);
        at += kStripeBytes - waiting;
        bytes -= kStripeBytes - waiting;
    }
    for (; bytes >= kStripeBytes; at += kStripeBytes, bytes -= kStripeBytes) consume_stripe(at);
    copy_bytes(stripe_, at, bytes);
}

uint64_t ContentHash::value() const {
    uint64_t hash = kPrime5;
    if (total_ >= kStripeBytes) {
        hash = rotate(lanes_[0], 1) + rotate(lanes_[1], 7) + rotate(lanes_[2], 12) + rotate(lanes_[3], 18);
        for (uint64_t lane : lanes_) hash = (hash ^ mix(0, lane)) * kPrime1 + kPrime4;
    }
    hash += total_;
    const uint8_t* at = stripe_;
    const uint8_t* const end = stripe_ + total_ % kStripeBytes;
    for (; end - at >= 8; at += 8) hash = rotate(hash ^ mix(0, load<uint64_t>(at)), 27) * kPrime1 + kPrime4;
    if (end - at >= 4) {
        hash = rotate(hash ^ load<uint32_t>(at) * kPrime1, 23) * kPrime2 + kPrime3;
        at += 4;
    }
    for (; at < end; at++) hash = rotate(hash ^ *at * kPrime5, 11) * kPrime1;
    hash = (hash ^ hash >> 33) * kPrime2;
    hash = (hash ^ hash >> 29) * kPrime3;
    return hash ^ hash >> 32;
}

size_t raw_frame_bytes(size_t payload_bytes) {
    size_t blocks = (payload_bytes + kMaxBlockBytes - 1) / kMaxBlockBytes;
    return kFrameHeaderBytes + (1 + blocks) * kBlockHeaderBytes + sizeof(format::BlockHeader) + payload_bytes +
           kChecksumBytes;
}

// Context: init; signal-safe.
size_t write_raw_frame(uint8_t* to, const format::BlockHeader& header, const void* payload) {
    const size_t payload_bytes = header.payload_bytes;
    auto content_bytes = static_cast<uint32_t>(sizeof header + payload_bytes);
    uint8_t* at = to;
    at += put(at, kMagic, sizeof kMagic);
    at += put(at, &kDescriptor, 1);
    at += put(at, &content_bytes, sizeof content_bytes);
    at += put_block_header(at, sizeof header, payload_bytes == 0);
    at += put(at, &header, sizeof header);
    for (size_t done = 0; done < payload_bytes;) {
        size_t bytes = payload_bytes - done < kMaxBlockBytes ? payload_bytes - done : kMaxBlockBytes;
        at += put_block_header(at, bytes, done + bytes == payload_bytes);
        at += put(at, static_cast<const uint8_t*>(payload) + done, bytes);
        done += bytes;
    }
    ContentHash hash;
    hash.add(&header, sizeof header);
    hash.add(payload, payload_bytes);
    const uint64_t checksum = hash.value();
    at += put(at, &checksum, kChecksumBytes);
    return static_cast<size_t>(at - to);
}

// Context: init; signal-safe.
FileOrigin read_origin(const uint8_t* beginning, size_t bytes, TraceOwner& owner) {
    if (bytes == 0) return FileOrigin::kEmpty;
    size_t at = kFrameHeaderBytes;
    if (bytes < at + kBlockHeaderBytes || !equal_bytes(beginning, kMagic, sizeof kMagic) || beginning[4] != kDescriptor)
        return FileOrigin::kForeign;
    const size_t header_bytes = load<uint32_t>(beginning + at - 1) >> 8 >> 3;
    at += kBlockHeaderBytes;
    format::BlockHeader header;
    if (header_bytes < sizeof header || bytes < at + sizeof header) return FileOrigin::kForeign;
    copy_bytes(&header, beginning + at, sizeof header);
    if (header.magic != format::kBlockMagic || header.kind != static_cast<uint8_t>(format::BlockKind::kMetadata))
        return FileOrigin::kForeign;
    at += header_bytes + kBlockHeaderBytes;
    format::ItemHeader item;
    format::ProcessItem process;
    zero_bytes(&owner, sizeof owner);
    if (bytes < at + sizeof item + sizeof process) return FileOrigin::kTrace;  // cut while it began: nobody's
    copy_bytes(&item, beginning + at, sizeof item);
    if (item.type != static_cast<uint16_t>(format::ItemType::kProcess)) return FileOrigin::kForeign;
    copy_bytes(&process, beginning + at + sizeof item, sizeof process);
    copy_bytes(owner.process.boot_id, process.boot_id, sizeof process.boot_id);
    owner.process.pid = process.pid;
    owner.process.parent_pid = process.parent_pid;
    owner.process.process_start = process.process_start;
    owner.image = process.image;
    return FileOrigin::kTrace;
}

}  // namespace fnprof::rt
