// Writes the golden files: make_golden DIRECTORY. Those in v1/ and bad/ were made with the first release of the format and stay as
// they are, whatever this program would write today: they hold the reader to what it has promised. A new version of the format
// gets a new folder.
#include <zstd.h>

#include <cstring>
#include <filesystem>
#include <functional>
#include <iostream>
#include <map>
#include <string>

#include "support/streams.h"
#include "support/trace_builder.h"

using namespace fnprof;
using namespace fnprof::testing;

namespace {

constexpr uint64_t kMain = 0x401000, kWork = 0x401100, kThrower = 0x401200;

void begin(TraceBuilder& trace) {
    trace.process_item.flags = format::kMarksOn;
    trace.process_item.wall_start_ns = 1'700'000'000'000'000'000;
    trace.process("/usr/bin/app", {"app", "--fast", "input file"}).clock(format::ClockKind::kTsc, 1000).hook_cost(4000, 5000);
    trace.clock_pair(0, 5'000'000).module(1, "/usr/bin/app", 0x400000, 0x401000, 0x402000, {0xde, 0xad, 0xbe, 0xef}).metadata_block();
}

void finish(TraceBuilder& trace, uint64_t end_ticks) {
    trace.names(1, {{0x1000, 0x80, "main"}, {0x1100, 0x40, "_Z4workv"}, {0x1200, 0x40, "_Z7throwerv"}});
    trace.thread(1, 4711, "app", 100, end_ticks).clock_pair(end_ticks, 5'000'000 + end_ticks).end(end_ticks).metadata_block().seek_table();
}

std::vector<format::Slot> call(uint64_t function, uint64_t site, uint64_t stack, uint64_t ticks) {
    return {enter(function, site, stack, ticks), exit(function, site, stack, ticks + 30)};
}

// Two threads, an exception, a gap, a mark, torn slots.
void small(TraceBuilder& trace) {
    begin(trace);
    std::vector<format::Slot> first = {enter(kMain, 0x400100, 0x7ffe1000, 100), enter(kThrower, kMain + 0x10, 0x7ffe0fc0, 130),
                                       throw_mark(0x7ffe0f80, 150), catch_mark(0x7ffe1000, 190), gap(1000, 1300), torn()};
    for (uint64_t i = 0; i < 5; ++i) {
        for (const format::Slot& slot : call(kWork, kMain + 0x20, 0x7ffe0fc0, 1400 + 100 * i)) first.push_back(slot);
    }
    first.push_back(user_mark(0x77, 0x123456789abc, 2000));
    trace.records(1, first, 5);
    trace.thread(2, 4712, "worker", 200, 1000, 3).records(2, call(kWork, 0x7f0000001000, 0x7f1100000000, 200));
    trace.records(1, {exit(kMain, 0x400100, 0x7ffe1010, 2100)});
    finish(trace, 2200);
}

void walk(TraceBuilder& trace, double step) {
    begin(trace);
    StepClock clock(step, 60, 1);
    for (uint32_t i = 0; i < 3; ++i) trace.records(1, random_walk(clock, 60, 3000, i, 0.01));
    finish(trace, 2'000'000);
}

void late(TraceBuilder& trace) {
    small(trace);
    trace.late_area(1, 4711, call(kWork, 0x400200, 0x7ffe1100, 2300), 20);
}

void noise_trace(TraceBuilder& trace) {
    begin(trace);
    trace.records(1, noise(400, 1));
    finish(trace, 100);
}

// The block of records that most bad files begin with.
void one_block(TraceBuilder& trace) {
    begin(trace);
    trace.records(1, call(kWork, kMain, 0x7ffe1000, 100));
}

void records_payload(TraceBuilder& trace, const std::function<void(format::BlockHeader&, std::vector<uint8_t>&)>& change) {
    one_block(trace);
    format::BlockHeader header{};
    header.kind = static_cast<uint8_t>(format::BlockKind::kRecords);
    header.thread = 1;
    header.first_chunk = 1;
    header.chunk_count = 1;
    header.record_count = 1;
    format::Directory directory{};
    directory.base_ticks = 500;
    directory.step = format::kWholeTick;
    directory.record_count = 1;
    directory.column_bytes[format::kActions] = directory.column_bytes[format::kTimes] = 1;
    std::vector<uint8_t> payload(sizeof directory + 2);
    std::memcpy(payload.data(), &directory, sizeof directory);
    payload[sizeof directory] = format::kActionEnter;  // of a symbol that is not there
    change(header, payload);
    trace.frame(header, payload).skip_chunks(1, 1).records(1, call(kWork, kMain, 0x7ffe1000, 900));
}

using Make = std::function<void(TraceBuilder&)>;

const std::map<std::string, Make> kGood = {
    {"small", small},
    {"walk", [](TraceBuilder& trace) { walk(trace, 1); }},
    {"walk_slow_clock", [](TraceBuilder& trace) { walk(trace, 24.45); }},
    {"late", late},
    {"noise", noise_trace},
    {"killed", [](TraceBuilder& trace) { one_block(trace); }},
};

const std::map<std::string, Make> kBad = {
    {"not_a_trace", [](TraceBuilder& trace) { trace.raw("once upon a time there was a text", 33); }},
    {"foreign_frame",
     [](TraceBuilder& trace) {
         format::BlockHeader header{};
         header.magic = 0x21212121;
         trace.frame(header, std::vector<uint8_t>(100, 'x'));
     }},
    {"newer_version",
     [](TraceBuilder& trace) {
         trace.version = format::kVersion + 1;
         small(trace);
     }},
    {"cut_first_block",
     [](TraceBuilder& trace) {
         TraceBuilder whole;
         small(whole);
         trace.raw(whole.bytes().data(), 60);
     }},
    {"truncated",
     [](TraceBuilder& trace) {
         TraceBuilder whole;
         small(whole);
         trace.raw(whole.bytes().data(), whole.frame_offsets()[3] + 40);
     }},
    {"flipped_bit",
     [](TraceBuilder& trace) {
         TraceBuilder whole;
         walk(whole, 1);
         std::vector<uint8_t> bytes = whole.bytes();
         bytes[whole.frame_offsets()[2] + 500] ^= 4;
         trace.raw(bytes.data(), bytes.size());
     }},
    {"garbage_between",
     [](TraceBuilder& trace) {
         one_block(trace);
         trace.raw("garbage garbage garbage", 23).records(1, call(kWork, kMain, 0x7ffe1000, 900));
     }},
    {"missing_chunks",
     [](TraceBuilder& trace) {
         one_block(trace);
         trace.skip_chunks(1, 3).records(1, call(kWork, kMain, 0x7ffe1000, 900));
     }},
    {"duplicate_chunk",
     [](TraceBuilder& trace) {
         one_block(trace);
         TraceBuilder again;
         again.records(1, call(kWork, kMain, 0x7ffe1000, 100));
         trace.raw(again.bytes().data(), again.bytes().size());
     }},
    {"long_item",
     [](TraceBuilder& trace) {
         one_block(trace);
         const format::ItemHeader item{static_cast<uint16_t>(format::ItemType::kThread), 0, 4000};
         format::BlockHeader header{};
         header.kind = static_cast<uint8_t>(format::BlockKind::kMetadata);
         const auto* raw = reinterpret_cast<const uint8_t*>(&item);
         trace.frame(header, std::vector<uint8_t>(raw, raw + sizeof item));
     }},
    {"undefined_symbol", [](TraceBuilder& trace) { records_payload(trace, [](auto&, auto&) {}); }},
    {"short_payload", [](TraceBuilder& trace) { records_payload(trace, [](auto&, auto& payload) { payload.resize(20); }); }},
    {"long_payload", [](TraceBuilder& trace) { records_payload(trace, [](auto&, auto& payload) { payload.resize(60); }); }},
    {"many_records",
     [](TraceBuilder& trace) {
         records_payload(trace, [](auto&, auto& payload) { std::memset(payload.data() + offsetof(format::Directory, record_count), 0x7f, 4); });
     }},
    {"many_chunks", [](TraceBuilder& trace) { records_payload(trace, [](auto& header, auto&) { header.chunk_count = 9; }); }},
    {"unknown_block", [](TraceBuilder& trace) { records_payload(trace, [](auto& header, auto&) { header.kind = 9; }); }},
    {"no_content_size",
     [](TraceBuilder& trace) {
         one_block(trace);
         TraceBuilder block;
         block.skip_chunks(1, 1).records(1, call(kWork, kMain, 0x7ffe1000, 900));
         std::vector<uint8_t> content(ZSTD_getFrameContentSize(block.bytes().data(), block.bytes().size()));
         ZSTD_decompress(content.data(), content.size(), block.bytes().data(), block.bytes().size());
         ZSTD_CCtx* context = ZSTD_createCCtx();
         ZSTD_CCtx_setParameter(context, ZSTD_c_contentSizeFlag, 0);
         std::vector<uint8_t> frame(ZSTD_compressBound(content.size()));
         frame.resize(ZSTD_compress2(context, frame.data(), frame.size(), content.data(), content.size()));
         ZSTD_freeCCtx(context);
         trace.raw(frame.data(), frame.size());
     }},
    {"broken_late_area",
     [](TraceBuilder& trace) {
         one_block(trace);
         TraceBuilder area;
         area.late_area(1, 4711, call(kWork, kMain, 0x7ffe1000, 900), 2);
         std::vector<uint8_t> bytes = area.bytes();
         bytes[12] = 200;  // slots
         trace.raw(bytes.data(), bytes.size());
     }},
};

void write_all(const std::map<std::string, Make>& files, const std::filesystem::path& directory) {
    std::filesystem::create_directories(directory);
    for (const auto& [name, make] : files) {
        TraceBuilder trace;
        make(trace);
        trace.write_file(directory / (name + ".zst"));
    }
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 2) {
        std::cerr << "usage: make_golden DIRECTORY\n";
        return 2;
    }
    const std::filesystem::path directory = argv[1];
    write_all(kGood, directory / "v1");
    write_all(kBad, directory / "bad");
    const TraceBuilder any;
    LiveFileBuilder live(any.process_item);
    live.add_ring(1);
    live.add_chunk(0, 1, 1, format::ChunkUse::kOpen, call(kWork, kMain, 0x7ffe1000, 900));
    live.write_file(directory / "v1" / "killed.zst.live");
}
