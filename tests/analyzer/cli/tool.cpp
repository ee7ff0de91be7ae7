#include "tool.h"

#include <doctest/doctest.h>

#include <sys/wait.h>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>

namespace fnprof::cli::test {
namespace {

std::string content(const std::filesystem::path& path) {
    std::ifstream in(path, std::ios::binary);
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
}

void begin(testing::TraceBuilder& trace, const ProcessSpec& spec) {
    trace.process_item.pid = spec.pid;
    trace.process_item.parent_pid = spec.parent_pid;
    trace.process_item.process_start = spec.process_start;
    trace.process_item.fork_parent_pid = spec.fork_parent_pid;
    trace.process_item.fork_parent_start = spec.fork_parent_start;
    trace.process_item.wall_start_ns = 1'700'000'000'000'000'000;
    trace.process_item.flags = format::kMarksOn;
    std::memset(trace.process_item.boot_id, spec.boot, sizeof trace.process_item.boot_id);
    trace.process("/opt/app", {"app"})
        .clock_pair(0, 0)
        .clock_pair(100'000'000, 100'000'000)
        .clock(format::ClockKind::kMonotonicNs, 1000);
    trace.hook_cost(0, 0).module(1, "/opt/app", 0x10000, 0x10000, 0x90000).metadata_block();
}

}  // namespace

Desk::Desk() {
    std::string pattern = (std::filesystem::temp_directory_path() / "fnprof-cli-XXXXXX").string();
    REQUIRE(mkdtemp(pattern.data()) != nullptr);
    path_ = pattern;
}

Desk::~Desk() {
    std::error_code error;
    std::filesystem::remove_all(path_, error);
}

Result Desk::shell(const std::string& command) const {
    std::filesystem::create_directory(path_ / "captured");
    const std::string whole =
        "cd '" + path_.string() + "' && TOOL='" FNPROF_TEST_TOOL "' && { " + command + "; } >captured/out 2>captured/err";
    const int status = std::system(whole.c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, content(path_ / "captured" / "out"),
            content(path_ / "captured" / "err")};
}

Result Desk::analyze(const std::string& arguments) const { return shell("\"$TOOL\" " + arguments); }

void write_trace(const std::string& path, const ProcessSpec& spec) {
    using testing::enter;
    using testing::exit;
    constexpr uint64_t kMain = 0x10100, kWork = 0x10200, kLeaf = 0x10300;
    testing::TraceBuilder trace;
    begin(trace, spec);
    std::vector<format::Slot> slots{enter(kMain, 0x50, 0x7000, 1'000'000)};
    for (uint64_t i = 0; i < 3; ++i) {
        const uint64_t at = 2'000'000 + i * 10'000'000;
        slots.push_back(enter(kWork, kMain + 16, 0x6f00, at));
        slots.push_back(enter(kLeaf, kWork + 16, 0x6e00, at + 1'000'000));
        slots.push_back(exit(kLeaf, kWork + 16, 0x6e00, at + 3'000'000));
        slots.push_back(exit(kWork, kMain + 16, 0x6f00, at + 9'000'000));
    }
    slots.push_back(exit(kMain, 0x50, 0x7000, 41'000'000 + spec.tail_ns));
    trace.records(1, slots);
    trace.thread(1, static_cast<int32_t>(spec.pid), "app")
        .names(1, {{0x100, 16, "main"}, {0x200, 16, "_Z4worki"}, {0x300, 16, spec.leaf}});
    if (spec.ended) trace.end(42'000'000 + spec.tail_ns);
    trace.metadata_block();
    trace.write_file(path);
}

void write_empty_trace(const std::string& path) {
    testing::TraceBuilder trace;
    begin(trace, {});
    trace.end(5'000'000).metadata_block();
    trace.write_file(path);
}

}  // namespace fnprof::cli::test
