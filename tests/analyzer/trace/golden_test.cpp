#include <filesystem>
#include <map>
#include <string>

#include "analyzer/trace/reading.h"

using namespace fnprof;
using namespace fnprof::testing;
using trace::TraceError;
using trace::TraceFile;

namespace {

const std::filesystem::path kGolden = FNPROF_GOLDEN_DIRECTORY;

// FNV-1a over every record, its thread and its chunk.
struct Digest {
    uint64_t value = 0xcbf29ce484222325;
    void add(uint64_t word) {
        for (int i = 0; i < 8; ++i, word >>= 8) value = (value ^ (word & 0xff)) * 0x100000001b3;
    }
};

struct Content {
    size_t blocks;
    size_t records;
    uint64_t digest;
};

Content content_of(TraceFile& file) {
    Digest digest;
    Content content{};
    for (const ReadBlock& block : read_all(file)) {
        ++content.blocks;
        content.records += block.slots.size();
        digest.add(block.thread);
        digest.add(block.first_chunk);
        digest.add(block.torn_count);
        for (const format::Slot& slot : block.slots) {
            digest.add(slot.function_word);
            digest.add(slot.site_word);
            digest.add(slot.time_word);
        }
    }
    content.digest = digest.value;
    return content;
}

struct Damage {
    size_t blocks;  // that can be read
    uint64_t damaged;
    uint64_t missing;
    uint64_t duplicate;
    bool truncated;
};

}  // namespace

TEST_CASE("every golden trace reads as it did when it was written") {
    const std::map<std::string, Content> expected = {
        {"killed", {2, 4, 0xf975b09fd7e4260}},
        {"late", {4, 21, 0xa50a09637bd9241}},
        {"noise", {1, 400, 0x4d0e45979befb990}},
        {"small", {3, 19, 0x409ef8d2a8f11254}},
        {"walk", {3, 9000, 0x1a220e0f204a5713}},
        {"walk_slow_clock", {3, 9000, 0x7940ca3f1b86f019}},
    };
    size_t files = 0;
    for (const auto& entry : std::filesystem::directory_iterator(kGolden / "v1")) {
        if (entry.path().extension() != ".zst") continue;
        ++files;
        const std::string name = entry.path().stem();
        CAPTURE(name);
        TraceFile file(entry.path());
        const Content content = content_of(file);
        REQUIRE(expected.contains(name));
        CHECK(content.blocks == expected.at(name).blocks);
        CHECK(content.records == expected.at(name).records);
        CHECK(content.digest == expected.at(name).digest);
        // The times of noise are noise too: none lies in the run.
        CHECK(file.diagnostics().damaged_count == 0);
        CHECK(file.diagnostics().contradiction_count == (name == "noise" ? 1 : 0));
        CHECK(file.diagnostics().whole() == (name != "noise"));
        CHECK(file.metadata().process.arguments.size() == 3);
    }
    CHECK(files == expected.size());
}

TEST_CASE("every bad trace has the reason that it is named after") {
    const std::map<std::string, TraceError::Kind> unreadable = {
        {"not_a_trace", TraceError::Kind::kNotATrace},
        {"foreign_frame", TraceError::Kind::kNotATrace},
        {"cut_first_block", TraceError::Kind::kNotATrace},
        {"newer_version", TraceError::Kind::kNewerVersion},
    };
    const std::map<std::string, Damage> damaged = {
        {"truncated", {2, 0, 0, 0, true}},       {"flipped_bit", {2, 1, 2, 0, false}},      {"garbage_between", {2, 1, 0, 0, false}},
        {"missing_chunks", {2, 0, 3, 0, false}}, {"duplicate_chunk", {1, 0, 0, 1, false}},  {"long_item", {1, 1, 0, 0, false}},
        {"undefined_symbol", {2, 1, 1, 0, false}}, {"short_payload", {2, 1, 1, 0, false}},  {"long_payload", {2, 1, 1, 0, false}},
        {"many_records", {2, 1, 1, 0, false}},   {"many_chunks", {2, 1, 1, 0, false}},      {"unknown_block", {2, 1, 1, 0, false}},
        {"no_content_size", {1, 1, 0, 0, false}}, {"broken_late_area", {1, 1, 0, 0, false}},
    };
    size_t files = 0;
    for (const auto& entry : std::filesystem::directory_iterator(kGolden / "bad")) {
        const std::string name = entry.path().stem();
        CAPTURE(name);
        ++files;
        if (const auto reason = unreadable.find(name); reason != unreadable.end()) {
            try {
                TraceFile file(entry.path());
                FAIL_CHECK("was read");
            } catch (const TraceError& error) {
                CHECK(error.kind() == reason->second);
            }
            continue;
        }
        REQUIRE(damaged.contains(name));
        const Damage& expected = damaged.at(name);
        TraceFile file(entry.path());
        CHECK(read_all(file).size() == expected.blocks);
        CHECK(file.diagnostics().damaged_count == expected.damaged);
        CHECK(file.diagnostics().missing_chunk_count == expected.missing);
        CHECK(file.diagnostics().duplicate_chunk_count == expected.duplicate);
        CHECK(file.diagnostics().truncated_at.has_value() == expected.truncated);
    }
    CHECK(files == unreadable.size() + damaged.size());
}
