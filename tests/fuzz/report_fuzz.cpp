// The whole chain from records to a report: any records of any threads, with gaps, marks and lost chunks, in blocks, late areas and
// the live file, under any metadata. Each enter that the reader delivers is a call, the books balance, and the JSON is JSON.
//
// Input: a sequence of commands of a byte, each with what it needs behind it; what is missing reads as zeros.
#include <rapidjson/document.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <string>
#include <vector>

#include "model/aggregate.h"
#include "report/json.h"
#include "support/books.h"
#include "support/trace_builder.h"

using namespace fnprof;

namespace {

class Input {
  public:
    Input(const uint8_t* data, size_t size) : at_(data), end_(data + size) {}
    bool done() const { return at_ == end_; }
    template <class T>
    T take() {
        T value{};
        const size_t bytes = std::min<size_t>(sizeof value, static_cast<size_t>(end_ - at_));
        if (bytes > 0) std::memcpy(&value, at_, bytes);
        at_ += bytes;
        return value;
    }
    std::vector<uint8_t> bytes(size_t count) {
        count = std::min(count, static_cast<size_t>(end_ - at_));
        std::vector<uint8_t> taken(at_, at_ + count);
        at_ += count;
        return taken;
    }

  private:
    const uint8_t* at_;
    const uint8_t* end_;
};

// Two modules of functions of 0x100 bytes, so that call sites lie in functions.
constexpr uint64_t kCode = 0x400000;
constexpr uint64_t kFunctionBytes = 0x100;

// A record in few bytes: mostly plausible ones, and with kind 0 any slot.
format::Slot record(Input& input, uint64_t& ticks) {
    const auto head = input.take<uint8_t>();
    const auto kind = static_cast<format::Kind>(head & 15);
    if (kind == format::Kind::kNone) return input.take<format::Slot>();
    ticks += head & 16 ? input.take<uint8_t>() : 1;
    const uint64_t function = kCode + kFunctionBytes * (input.take<uint8_t>() % 20);
    const uint64_t site = kCode + kFunctionBytes * (input.take<uint8_t>() % 20) + 5;
    uint32_t stack = 0x7000 + input.take<uint8_t>();
    if (head & 32) stack = input.take<uint32_t>();
    if (kind == format::Kind::kGap) return format::make_slot(kind, head >> 6, site % 64, stack, ticks);
    return format::make_slot(kind, function, site, stack, ticks);
}

std::vector<format::Slot> records(Input& input, uint64_t& ticks) {
    std::vector<format::Slot> slots;
    for (auto left = input.take<uint8_t>(); left > 0 && !input.done(); --left) slots.push_back(record(input, ticks));
    return slots;
}

struct Built {
    std::vector<uint8_t> trace;
    std::vector<uint8_t> live;
};

Built build(Input& input) {
    testing::TraceBuilder trace;
    const auto flags = input.take<uint8_t>();
    trace.process_item.flags = flags & 1;
    trace.process("app", {"app"}).clock(format::ClockKind::kTsc, 1000).clock_pair(0, 5000).clock_pair(1000, 6000).hook_cost(3000, 4000);
    trace.module(1, "/bin/app", kCode, kCode, kCode + 10 * kFunctionBytes);
    trace.module(2, "/lib/one.so", kCode, kCode + 10 * kFunctionBytes, kCode + 20 * kFunctionBytes);
    std::vector<testing::NameSpec> names;
    for (unsigned i = 0; i < 20; ++i) names.push_back({kFunctionBytes * i, kFunctionBytes, "f" + std::to_string(i)});
    trace.names(1, names).names(2, names).metadata_block();

    testing::LiveFileBuilder live(trace.process_item);
    live.add_ring(16);
    uint32_t live_chunks = 0;
    uint64_t ticks[4] = {100, 100, 100, 100};
    for (unsigned commands = 0; !input.done() && commands < 64; ++commands) {
        const auto command = input.take<uint8_t>();
        const uint32_t thread = 1 + (command >> 6);
        uint64_t& now = ticks[thread - 1];
        switch (command & 15) {
            case 0: trace.skip_chunks(thread, 1); break;
            case 1: {
                const auto type = input.take<uint16_t>();
                const auto size = input.take<uint8_t>();
                const std::vector<uint8_t> item = input.bytes(size);
                trace.item(type % 16, item.data(), item.size());
                break;
            }
            case 2: trace.metadata_block(); break;
            case 3: {
                const std::vector<format::Slot> slots = records(input, now);
                trace.late_area(thread, 1, slots, static_cast<uint32_t>(slots.size()) + command / 16 % 4);
                break;
            }
            case 4:
            case 5:
                if (live_chunks < 16) {
                    const auto use = static_cast<format::ChunkUse>(1 + command % 2);
                    live.add_chunk(live_chunks++, thread, trace.next_chunk(thread), use, records(input, now));
                    trace.skip_chunks(thread, 1);
                }
                break;
            case 6: trace.end(now).metadata_block(); break;
            case 7: trace.thread(thread, input.take<int32_t>(), "t", input.take<uint16_t>(), input.take<uint16_t>()); break;
            case 8: {
                const std::vector<uint8_t> any = input.bytes(input.take<uint8_t>());
                trace.raw(any.data(), any.size());
                break;
            }
            default: trace.records(thread, records(input, now), 1 + command / 16 % 4 * 64); break;
        }
    }
    trace.metadata_block();
    return {trace.bytes(), live_chunks > 0 ? live.bytes() : std::vector<uint8_t>()};
}

void require(bool holds, const std::string& what) {
    if (holds) return;
    std::fprintf(stderr, "%s\n", what.c_str());
    std::abort();
}

uint64_t enters(const Built& built) {
    trace::TraceFile file = trace::TraceFile::from_bytes(built.trace, "input", built.live);
    trace::RecordBlock block;
    uint64_t count = 0;
    while (file.next(block)) {
        for (const format::Event& event : block.records.events) count += format::kind_of(event.time_word) == format::Kind::kEnter;
    }
    return count;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    Input input(data, size);
    const Built built = [&]() -> Built {
        try {
            return build(input);
        } catch (const std::invalid_argument&) {  // more records than a block can hold
            return {};
        }
    }();
    if (built.trace.empty()) return 0;
    trace::TraceFile file = trace::TraceFile::from_bytes(built.trace, "input", built.live);
    const model::Profile profile = model::aggregate(file, "input", {.waiting_bytes = size_t{1} << 16});
    const std::string imbalance = testing::imbalance_of(profile);
    require(imbalance.empty(), imbalance);
    require(profile.total_calls() == enters(built), "calls are not the enters that were read");

    std::vector<report::Name> functions(profile.functions.size());
    for (size_t i = 0; i < functions.size(); ++i) functions[i].name = functions[i].mangled = profile.functions[i].mangled;
    const report::Names names(std::move(functions));
    const report::Figures figures(profile, false);
    const report::Page page{profile, names, figures, {}, 0, 0, false, {}};
    std::ostringstream json;
    report::print_json(json, page);
    report::print_tree_json(json, page);
    const std::string text = json.str();
    rapidjson::StringStream stream(text.c_str());
    for (int i = 0; i < 2; ++i) {
        rapidjson::Document document;
        document.ParseStream<rapidjson::kParseStopWhenDoneFlag>(stream);
        require(!document.HasParseError(), "the report is not JSON");
    }
    return 0;
}
