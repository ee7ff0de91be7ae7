#include "trace/rewrite.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "analyzer/trace/reading.h"
#include "support/temporary_directory.h"
#include "trace/process_state.h"
#include "trace/recover.h"

using namespace fnprof;
using namespace fnprof::testing;
using format::ChunkUse;
using trace::TraceFile;

namespace {

size_t file_count() { return static_cast<size_t>(std::distance(std::filesystem::directory_iterator("."), {})); }

std::vector<uint8_t> content(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

// Of another boot: nobody takes it for running.
void killed_trace(TraceBuilder& trace) {
    std::memset(trace.process_item.boot_id, 'B', sizeof trace.process_item.boot_id);
    trace.process_item.pid = 77;
    trace.process("app").clock_pair(0, 0).clock_pair(1000, 1000).metadata_block().records(1, call(1, 100)).records(1, call(2, 200));
}

void killed_files(const TemporaryDirectory& folder, TraceBuilder& trace) {
    killed_trace(trace);
    LiveFileBuilder live(trace.process_item);
    live.add_ring(4);
    live.add_chunk(0, 1, 3, ChunkUse::kOpen, call(4, 400));
    live.add_chunk(2, 1, 1, ChunkUse::kPublished, call(2, 200));  // is in the trace as well
    live.add_chunk(3, 1, 2, ChunkUse::kPublished, call(3, 300));
    trace.write_file(folder.file("trace.zst"));
    live.write_file(folder.file("trace.zst.live"));
}

}  // namespace

TEST_CASE("a recovered trace delivers what the trace and its live file did, from one file with a seek table") {
    const TemporaryDirectory folder;
    TraceBuilder trace;
    killed_files(folder, trace);
    TraceFile before(folder.file("trace.zst"));
    const std::vector<ReadBlock> expected = read_all(before);
    const trace::Recovered done = trace::recover(folder.file("trace.zst"), {});
    CHECK(done.needed);
    CHECK(done.result.record_count == 8);
    CHECK(done.result.live_record_count == 4);
    CHECK(done.live_file_removed);
    CHECK(file_count() == 1);
    TraceFile after(folder.file("trace.zst"));
    CHECK(read_all(after) == expected);
    CHECK(after.diagnostics().clean());
    CHECK_FALSE(after.diagnostics().live_file_read);
    CHECK(after.metadata().recovery.live_file_read);
    CHECK(after.metadata().recovery.live_record_count == 4);
    CHECK_FALSE(after.metadata().ended());
    REQUIRE(after.metadata().end);
    CHECK(after.metadata().end->record_count == 8);
    CHECK(after.metadata().end->end_ticks == 1000);
    const std::vector<uint8_t> bytes = content(folder.file("trace.zst"));
    // The frames of the trace are the file's beginning, byte for byte.
    CHECK(std::equal(trace.bytes().begin(), trace.bytes().end(), bytes.begin()));
    uint32_t last = 0;
    std::memcpy(&last, bytes.data() + bytes.size() - sizeof last, sizeof last);
    CHECK(last == format::kBlockMagic);
}

TEST_CASE("a complete trace, also a recovered one, is left alone") {
    const TemporaryDirectory folder;
    TraceBuilder trace;
    killed_files(folder, trace);
    CHECK(trace::recover(folder.file("trace.zst"), {}).needed);
    const std::vector<uint8_t> once = content(folder.file("trace.zst"));
    CHECK_FALSE(trace::recover(folder.file("trace.zst"), {}).needed);
    CHECK(content(folder.file("trace.zst")) == once);
    TraceBuilder ended;
    small_trace(ended);
    ended.write_file(folder.file("ended.zst"));
    CHECK_FALSE(trace::recover(folder.file("ended.zst"), {}).needed);
    CHECK(content(folder.file("ended.zst")) == ended.bytes());
}

TEST_CASE("a damaged trace is recovered without the damage, and what it lacks stays told") {
    const TemporaryDirectory folder;
    for (const size_t damaged : {size_t{1}, size_t{2}}) {
        TraceBuilder trace;
        killed_trace(trace);
        std::vector<uint8_t> bytes = trace.bytes();
        bytes[(damaged + 1 < trace.frame_offsets().size() ? trace.frame_offsets()[damaged + 1] : bytes.size()) - 2] ^= 0x55;  // checksum
        write_bytes(folder.file("trace.zst"), bytes);
        TraceFile before(folder.file("trace.zst"));
        const std::vector<ReadBlock> expected = read_all(before);
        REQUIRE(expected.size() == 1);
        CHECK(trace::recover(folder.file("trace.zst"), {}).needed);
        TraceFile after(folder.file("trace.zst"));
        CHECK(read_all(after) == expected);
        const trace::Recovery& told = after.metadata().recovery;
        CHECK(told.damaged_count == 1);
        CHECK(after.diagnostics().damaged_count == 0);
        CHECK(after.diagnostics().missing_chunk_count + told.missing_chunk_count == 1);
        CHECK(told.missing_chunks.size() == (damaged == 2 ? 1 : 0));  // the numbering does not show what lacks at the end
        REQUIRE(after.metadata().notices.size() == 1);
        CHECK(after.metadata().notices[0].find("before it was recovered this trace was damaged at byte") == 0);
        CHECK_FALSE(trace::recover(folder.file("trace.zst"), {}).needed);
    }
}

TEST_CASE("a trace cut at any byte is recovered to what can be read of it") {
    TraceBuilder trace;
    killed_trace(trace);
    trace.thread(1, 77, "app").end(500).metadata_block().late_area(1, 77, call(5, 600), 8).seek_table();
    const TemporaryDirectory folder;
    for (size_t size = trace.frame_offsets()[1]; size < trace.bytes().size(); ++size) {
        write_bytes(folder.file("trace.zst"), {trace.bytes().begin(), trace.bytes().begin() + static_cast<std::ptrdiff_t>(size)});
        TraceFile before(folder.file("trace.zst"));
        const std::vector<ReadBlock> expected = read_all(before);
        trace::recover(folder.file("trace.zst"), {});
        TraceFile after(folder.file("trace.zst"));
        CHECK(read_all(after) == expected);
        CHECK(after.diagnostics().clean());
        CHECK(after.metadata().recovery.truncated == before.diagnostics().truncated_at.has_value());
        CHECK(after.metadata().ended() == before.metadata().ended());
    }
}

TEST_CASE("what cannot be read of a live file is no reason to lose it") {
    const TemporaryDirectory folder;
    TraceBuilder trace;
    killed_files(folder, trace);
    std::vector<uint8_t> live = content(folder.file("trace.zst.live"));
    SUBCASE("a ring that is none") { live[format::kPageBytes] ^= 1; }
    SUBCASE("another process's") { live[offsetof(format::LiveHeader, pid)] ^= 1; }
    SUBCASE("something else") { live[0] ^= 1; }
    size_t chunks_read = 0;
    SUBCASE("one that is cut within a chunk") {
        live.resize(format::kPageBytes + format::ring_header_bytes(4) + 3 * format::kChunkBytes + 40);
        chunks_read = 1;
    }
    write_bytes(folder.file("trace.zst.live"), live);
    CHECK_THROWS_AS(trace::recover(folder.file("trace.zst"), {}), trace::RecoveryRefused);
    CHECK(content(folder.file("trace.zst")) == trace.bytes());
    CHECK(content(folder.file("trace.zst.live")) == live);
    CHECK(file_count() == 2);
    const trace::Recovered done = trace::recover(folder.file("trace.zst"), folder.file("out.zst"));
    CHECK(done.needed);
    CHECK_FALSE(done.live_file_removed);
    CHECK(done.remarks.size() == 1);
    CHECK(file_count() == 3);
    TraceFile after(folder.file("out.zst"));
    CHECK(read_all(after).size() == 2 + chunks_read);
    CHECK(after.metadata().notices.size() == 1);
}

TEST_CASE("a device, a pipe or a folder is not replaced by the recovered trace") {
    const TemporaryDirectory folder;
    TraceBuilder trace;
    killed_files(folder, trace);
    REQUIRE(mkfifo(folder.file("pipe").c_str(), 0600) == 0);
    std::filesystem::create_directory(folder.file("folder"));
    REQUIRE(symlink("pipe", folder.file("link").c_str()) == 0);
    for (const char* name : {"pipe", "folder", "link"}) {
        CAPTURE(name);
        CHECK_THROWS_AS(trace::recover(folder.file("trace.zst"), folder.file(name)), trace::RecoveryRefused);
    }
    CHECK(std::filesystem::is_fifo(folder.file("pipe")));
    CHECK(std::filesystem::is_directory(folder.file("folder")));
    CHECK(file_count() == 5);
    CHECK(content(folder.file("trace.zst")) == trace.bytes());
}

TEST_CASE("a trace whose writer lives is not touched") {
    const TemporaryDirectory folder;
    TraceBuilder trace;
    killed_files(folder, trace);
    const pid_t child = fork();
    if (child == 0) {
        // The lock of another process is what is seen.
        struct flock lock{};
        lock.l_type = F_WRLCK;
        const int own = ::open(folder.file("trace.zst").c_str(), O_RDWR);
        const bool locked = fcntl(own, F_SETLK, &lock) == 0;
        raise(SIGSTOP);
        _exit(locked ? 0 : 1);
    }
    int status = 0;
    REQUIRE(waitpid(child, &status, WUNTRACED) == child);
    CHECK(trace::is_locked(folder.file("trace.zst")));
    CHECK_THROWS_AS(trace::recover(folder.file("trace.zst"), {}), trace::RecoveryRefused);
    CHECK(content(folder.file("trace.zst")) == trace.bytes());
    CHECK(file_count() == 2);
    kill(child, SIGCONT);
    REQUIRE(waitpid(child, &status, 0) == child);
    CHECK(status == 0);
    CHECK(trace::recover(folder.file("trace.zst"), {}).needed);
}

TEST_CASE("a trace keeps its rights and, behind a link, its place") {
    const TemporaryDirectory folder;
    TraceBuilder trace;
    killed_files(folder, trace);
    REQUIRE(rename(folder.file("trace.zst").c_str(), folder.file("real.zst").c_str()) == 0);
    REQUIRE(symlink("real.zst", folder.file("trace.zst").c_str()) == 0);
    REQUIRE(chmod(folder.file("real.zst").c_str(), 0640) == 0);
    CHECK(trace::recover(folder.file("trace.zst"), {}).live_file_removed);
    CHECK(std::filesystem::is_symlink(folder.file("trace.zst")));
    struct stat status{};
    REQUIRE(stat(folder.file("real.zst").c_str(), &status) == 0);
    CHECK((status.st_mode & 0777) == 0640);
    CHECK(file_count() == 2);
}
