// Any bytes as a trace file, or as the live file of a sound trace: an error or some blocks, never a crash.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "format/layout.h"
#include "trace/trace_file.h"

namespace {

using fnprof::trace::RecordBlock;
using fnprof::trace::TraceError;
using fnprof::trace::TraceFile;

void read(const std::vector<uint8_t>& trace, const std::vector<uint8_t>& live) {
    try {
        TraceFile file = TraceFile::from_bytes(trace, "input", live);
        RecordBlock block;
        while (file.next(block)) {
            for (const fnprof::format::Event& event : block.records.events) {
                if (event.symbol >= block.records.symbols.size()) std::abort();
            }
        }
    } catch (const TraceError&) {
    }
}

// Metadata of process 0, uncompressed: a zstd frame of two raw blocks, without checksum.
std::vector<uint8_t> sound_trace() {
    fnprof::format::BlockHeader header{};
    header.magic = fnprof::format::kBlockMagic;
    header.version = fnprof::format::kVersion;
    header.kind = static_cast<uint8_t>(fnprof::format::BlockKind::kMetadata);
    header.header_bytes = sizeof header;
    const fnprof::format::ItemHeader item{static_cast<uint16_t>(fnprof::format::ItemType::kProcess), 0,
                                          sizeof(fnprof::format::ProcessItem) + 16};
    header.payload_bytes = sizeof item + item.bytes;
    std::vector<uint8_t> content(sizeof header + header.payload_bytes);
    std::memcpy(content.data(), &header, sizeof header);
    std::memcpy(content.data() + sizeof header, &item, sizeof item);
    std::vector<uint8_t> trace = {0x28, 0xb5, 0x2f, 0xfd, 0x20, static_cast<uint8_t>(content.size())};
    const auto block_header = static_cast<uint32_t>(content.size() << 3 | 1);
    for (int shift = 0; shift < 24; shift += 8) trace.push_back(static_cast<uint8_t>(block_header >> shift));
    trace.insert(trace.end(), content.begin(), content.end());
    return trace;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    const std::vector<uint8_t> input(data, data + size);
    if (size >= sizeof fnprof::format::kLiveMagic && std::memcmp(data, fnprof::format::kLiveMagic, sizeof fnprof::format::kLiveMagic) == 0) {
        std::vector<uint8_t> live = input;
        if (size >= sizeof(fnprof::format::LiveHeader)) std::memset(live.data() + 16, 0, 32);  // whose it is: process 0's
        read(sound_trace(), live);
    } else {
        read(input, {});
    }
    return 0;
}
