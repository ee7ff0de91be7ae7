// What the analyzer's statistics cost, one core: nanoseconds an event from decoded blocks to a calling-context tree, decoding left out.
//
//   model_bench [--events N] [--rounds N]
//
// Three made-up programs: fib(2) calls, loops over a few dozen call paths, and random descents through a call tree of some 20,000
// paths and 2,000 functions. `prepare` turns ticks into nanoseconds and addresses into functions, `stack` is CallStack and the tree.
// Processor time is counted, not wall time; of the rounds the fastest counts.
#include <time.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "format/decoder.h"
#include "model/address_map.h"
#include "model/clock_map.h"
#include "model/replay.h"
#include "model/timed_block.h"

namespace {

using namespace fnprof;
using format::Kind;

constexpr size_t kBlockEvents = 8 * format::kSlotsPerChunk;
constexpr uint64_t kCode = 0x400000;
constexpr uint64_t kFunctionBytes = 64;

// Records of one thread, cut into blocks with symbols of their own as the decoder delivers them.
class Recorder {
  public:
    explicit Recorder(size_t events) : left_(events) {}

    bool full() const { return left_ == 0; }
    void enter(uint32_t function) {
        const uint32_t caller = stack_.empty() ? 0 : stack_.back();
        const uint64_t site = kCode + caller * kFunctionBytes + 8 + function % 32;
        stack_.push_back(function);
        sites_.push_back(site);
        write(Kind::kEnter, function, site);
    }
    void exit() {
        write(Kind::kExit, stack_.back(), sites_.back());
        stack_.pop_back();
        sites_.pop_back();
    }
    void unwind() {
        while (!stack_.empty()) exit();
    }
    std::vector<format::DecodedBlock> blocks;

  private:
    void write(Kind kind, uint32_t function, uint64_t site) {
        if (blocks.empty() || blocks.back().events.size() == kBlockEvents) {
            blocks.emplace_back();
            blocks.back().events.reserve(kBlockEvents);
            symbols_.clear();
        }
        format::DecodedBlock& block = blocks.back();
        const uint64_t key = site << 20 | function;
        auto found = std::ranges::lower_bound(symbols_, key, {}, &Symbol::key);
        if (found == symbols_.end() || found->key != key) {
            found = symbols_.insert(found, {key, static_cast<uint32_t>(block.symbols.size())});
            block.symbols.push_back({kCode + function * kFunctionBytes, site});
        }
        ticks_ += 25 + random_() % 64;
        const uint32_t stack = 3000000000u - 4 * static_cast<uint32_t>(stack_.size());
        block.events.push_back({format::make_time_word(ticks_, kind), found->number, stack});
        left_ -= left_ > 0;
    }

    struct Symbol {
        uint64_t key;
        uint32_t number;
    };
    size_t left_;
    std::vector<uint32_t> stack_;
    std::vector<uint64_t> sites_;
    std::vector<Symbol> symbols_;
    std::minstd_rand random_{1};
    uint64_t ticks_ = 1000000;
};

void fib(Recorder& recorder, int n) {
    if (recorder.full()) return;
    recorder.enter(1);
    if (n > 1) {
        fib(recorder, n - 1);
        fib(recorder, n - 2);
    }
    recorder.exit();
}

void loops(Recorder& recorder) {
    std::minstd_rand random(3);
    recorder.enter(1);
    while (!recorder.full()) {
        const uint32_t outer = 2 + static_cast<uint32_t>(random() % 4);
        recorder.enter(outer);
        for (uint32_t i = 0; i < 16; ++i) {
            const uint32_t inner = 8 + outer * 4 + i % 4;
            recorder.enter(inner);
            if (i % 3 == 0) {
                recorder.enter(40);
                recorder.exit();
            }
            recorder.exit();
        }
        recorder.exit();
    }
    recorder.unwind();
}

void descents(Recorder& recorder, uint32_t paths) {
    std::mt19937 random(5);
    struct Node {
        uint32_t function;
        std::vector<uint32_t> children;
    };
    std::vector<Node> tree{{0, {}}};
    while (tree.size() < paths) {
        const auto parent = static_cast<uint32_t>(random() % tree.size());
        if (tree[parent].children.size() >= 6) continue;
        tree[parent].children.push_back(static_cast<uint32_t>(tree.size()));
        tree.push_back({1 + static_cast<uint32_t>(random() % 2000), {}});
    }
    std::vector<uint32_t> at{0};
    recorder.enter(0);
    while (!recorder.full()) {
        while (!tree[at.back()].children.empty()) {
            const std::vector<uint32_t>& children = tree[at.back()].children;
            at.push_back(children[random() % children.size()]);
            recorder.enter(tree[at.back()].function);
        }
        const size_t depth = at.size() <= 1 ? 1 : 1 + random() % (at.size() - 1);
        for (; at.size() > depth; at.pop_back()) recorder.exit();
    }
    recorder.unwind();
}

double thread_seconds() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

trace::Metadata metadata_of_program() {
    trace::Metadata metadata;
    trace::ModuleLoad module;
    module.id = 1;
    module.path = "/bin/made_up";
    module.start = kCode;
    module.end = kCode + 4096 * kFunctionBytes;
    metadata.modules = {module};
    for (uint32_t i = 0; i < 4096; ++i) {
        metadata.names.add(1, kCode + i * kFunctionBytes, kFunctionBytes, "f" + std::to_string(i));
    }
    metadata.clock_pairs = {{0, 0}, {2445000000, 1000000000}};
    return metadata;
}

void measure(const char* name, const std::vector<format::DecodedBlock>& blocks, int rounds) {
    const trace::Metadata metadata = metadata_of_program();
    const model::ClockMap clock(metadata.clock_pairs, format::ClockKind::kTsc);
    double prepare = 1e9;
    double stack = 1e9;
    size_t paths = 0;
    size_t events = 0;
    for (int round = 0; round < rounds; ++round) {
        model::AddressMap addresses(metadata);
        model::Replay replay(true, {.inner_ps = 7000, .outer_ps = 15000}, 1 << 20);
        model::TimedBlock timed;
        double prepare_seconds = 0;
        double stack_seconds = 0;
        events = 0;
        for (const format::DecodedBlock& block : blocks) {
            format::DecodedBlock copy = block;
            events += copy.events.size();
            const double start = thread_seconds();
            model::make_timed(copy, addresses, clock, timed);
            const double prepared = thread_seconds();
            replay.add(1, timed, false);
            stack_seconds += thread_seconds() - prepared;
            prepare_seconds += prepared - start;
        }
        prepare = std::min(prepare, prepare_seconds);
        stack = std::min(stack, stack_seconds);
        paths = replay.sink().tree().nodes().size() - 1;
    }
    const double per_event = 1e9 / static_cast<double>(events);
    std::printf("%-10s %9zu events %7zu paths   prepare %5.2f   stack %5.2f   together %5.2f ns/event\n", name, events, paths,
                prepare * per_event, stack * per_event, (prepare + stack) * per_event);
}

}  // namespace

int main(int argc, char** argv) {
    size_t events = 4000000;
    int rounds = 5;
    for (int i = 1; i + 1 < argc; i += 2) {
        if (std::strcmp(argv[i], "--events") == 0) events = std::strtoull(argv[i + 1], nullptr, 10);
        if (std::strcmp(argv[i], "--rounds") == 0) rounds = std::atoi(argv[i + 1]);
    }
    Recorder fib_calls(events);
    while (!fib_calls.full()) fib(fib_calls, 24);
    measure("fib", fib_calls.blocks, rounds);
    fib_calls.blocks.clear();
    Recorder loop_calls(events);
    loops(loop_calls);
    measure("loops", loop_calls.blocks, rounds);
    loop_calls.blocks.clear();
    Recorder descent_calls(events);
    descents(descent_calls, 44000);
    measure("descents", descent_calls.blocks, rounds);
    return 0;
}
