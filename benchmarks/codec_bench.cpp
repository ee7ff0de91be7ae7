// What the coding of records costs, one core: bytes and nanoseconds an event, for the encoder, zstd, and both ways back.
//
//   codec_bench [--level N] [--step TICKS] [--rounds N] [TRACE...]
//
// Without traces, two made-up programs are recorded with the processor's clock, jitter included: a fib(27) call tree and walks
// over 500 functions. Of a TRACE, the first four million records are taken and coded anew. --step rounds the times down to a
// coarser clock. Each block is timed on its own; of the rounds the fastest counts, which leaves out what other
// processes took.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>
#include <new>
#include <random>
#include <string>
#include <vector>

#include <zstd.h>

#include "format/decoder.h"
#include "format/encoder.h"
#include "src/clock.h"
#include "src/frame.h"

namespace {

using namespace fnprof;
using namespace fnprof::format;

struct Settings {
    int level = 1;
    int rounds = 9;
    double step = 0;
    std::vector<std::string> traces;
};

// Writes records as the hook does: three words, the clock where the hook reads it.
class Recorder {
  public:
    explicit Recorder(size_t limit) : limit_(limit) { slots_.reserve(limit + kRoomForExits); }
    bool full() const { return slots_.size() >= limit_; }
    void enter(uint64_t function, uint64_t site, uint32_t stack) {
        slots_.push_back(make_slot(Kind::kEnter, function, site, stack, rt::clock_ticks()));
    }
    void exit(uint64_t function, uint64_t site, uint32_t stack) {
        const uint64_t ticks = rt::clock_ticks();
        slots_.push_back(make_slot(Kind::kExit, function, site, stack, ticks));
    }
    std::vector<Slot> take() { return std::move(slots_); }

  private:
    static constexpr size_t kRoomForExits = 100;

    size_t limit_;
    std::vector<Slot> slots_;
};

__attribute__((noinline)) unsigned fib(Recorder& out, unsigned n, uint64_t site, uint32_t stack) {
    constexpr uint64_t kFib = 0x555555555139;
    out.enter(kFib, site, stack);
    const unsigned result = n < 2 ? n : fib(out, n - 1, kFib + 0x2b, stack - 3) + fib(out, n - 2, kFib + 0x3a, stack - 3);
    out.exit(kFib, site, stack);
    return result;
}

std::vector<Slot> fib_stream() {
    Recorder out(1 << 20);
    fib(out, 27, 0x555555555200, 0xffffd00);
    return out.take();
}

struct CallGraph {
    static constexpr uint32_t kFunctions = 500;
    struct Site {
        uint64_t address;
        uint32_t callee;
    };
    struct Function {
        uint64_t address;
        uint32_t frame;  // in 16-byte units
        std::vector<Site> sites;
    };
    std::vector<Function> functions;

    // Mostly calls of later functions, as layers have them; three call sites on average.
    explicit CallGraph(uint32_t seed) {
        std::mt19937 random(seed);
        uint64_t address = 0x555555556000;
        for (uint32_t i = 0; i < kFunctions; ++i) {
            functions.push_back({address, static_cast<uint32_t>(2 + random() % 8), {}});
            address += 32 + random() % 600;
        }
        for (uint32_t i = 0; i < kFunctions; ++i) {
            for (uint32_t site = 0; site < 1 + random() % 5; ++site) {
                const auto callee = static_cast<uint32_t>((random() % 20 == 0 ? random() : i + 1 + random() % 40) % kFunctions);
                functions[i].sites.push_back({functions[i].address + 16 + site * 12, callee});
            }
        }
    }
};

// Each call makes some calls itself, loops over one site now and then, and works a little in between.
void walk(Recorder& out, const CallGraph& graph, std::mt19937& random, uint32_t index, uint64_t site, uint32_t stack, unsigned depth) {
    const CallGraph::Function& function = graph.functions[index];
    out.enter(function.address, site, stack);
    for (const CallGraph::Site& call : function.sites) {
        if (depth > 12 || out.full() || random() % 3 == 0) continue;
        for (unsigned times = random() % 16 == 0 ? 8 : 1; times > 0 && !out.full(); --times) {
            walk(out, graph, random, call.callee, call.address, stack - function.frame, depth + 1);
        }
    }
    out.exit(function.address, site, stack);
}

std::vector<Slot> walk_stream() {
    const CallGraph graph(1);
    std::mt19937 random(2);
    Recorder out(1 << 20);
    while (!out.full()) walk(out, graph, random, static_cast<uint32_t>(random() % 10), 0x555555555200, 0xffffd00, 0);
    return out.take();
}

using Blocks = std::vector<std::vector<Slot>>;

// A made-up program's records as the blocks that a ring would have them coded in.
Blocks cut(const std::vector<Slot>& slots) {
    Blocks blocks;
    for (size_t at = 0; at < slots.size(); at += kMaxRecordsPerBlock) {
        const auto from = slots.begin() + static_cast<std::ptrdiff_t>(at);
        blocks.emplace_back(from, from + static_cast<std::ptrdiff_t>(std::min<size_t>(slots.size() - at, kMaxRecordsPerBlock)));
    }
    return blocks;
}

[[noreturn]] void give_up(const std::string& path, const char* why) {
    std::fprintf(stderr, "codec_bench: %s: %s\n", path.c_str(), why);
    std::exit(1);
}

Blocks read_trace(const std::string& path) {
    constexpr size_t kEnough = 4 << 20;
    std::ifstream in(path, std::ios::binary);
    const std::vector<char> file{std::istreambuf_iterator<char>(in), {}};
    Blocks blocks;
    std::vector<uint8_t> content;
    BlockDecoder decoder;
    DecodedBlock block;
    for (size_t at = 0, records = 0; at < file.size() && records < kEnough;) {
        const size_t bytes = ZSTD_findFrameCompressedSize(&file[at], file.size() - at);
        if (ZSTD_isError(bytes)) give_up(path, "not a trace, or cut short");
        const unsigned long long size = ZSTD_getFrameContentSize(&file[at], bytes);
        if (size >= sizeof(BlockHeader) && size < ZSTD_CONTENTSIZE_ERROR) {
            content.resize(size);
            if (ZSTD_decompress(content.data(), size, &file[at], bytes) != size) give_up(path, "damaged");
            BlockHeader header;
            std::memcpy(&header, content.data(), sizeof header);
            if (header.magic == kBlockMagic && header.kind == static_cast<uint8_t>(BlockKind::kRecords)) {
                if (!decoder.decode(content.data() + header.header_bytes, size - header.header_bytes, block)) give_up(path, "damaged");
                blocks.emplace_back();
                for (const Event& event : block.events) {
                    const Symbol& symbol = block.symbols[event.symbol];
                    blocks.back().push_back(make_slot(kind_of(event.time_word), symbol.function, symbol.call_site, event.stack, ticks_of(event.time_word)));
                }
                records += block.events.size();
            }
        }
        at += bytes;
    }
    if (blocks.empty()) give_up(path, "no records");
    return blocks;
}

double now_ns() {
    return static_cast<double>(std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds(1));
}

struct Times {
    double encode = 1e18, compress = 1e18, decompress = 1e18, decode = 1e18;
};

struct Totals {
    uint64_t events = 0;
    uint64_t bytes = 0;
    uint64_t columns[kColumnCount] = {};
    Times ns{0, 0, 0, 0};
};

class Bench {
  public:
    explicit Bench(const Settings& settings)
        : settings_(settings),
          workspace_(new EncoderWorkspace{}),
          frames_(new rt::FrameWriter{}),
          block_memory_(sizeof(BlockHeader) + encoded_bound(kMaxRecordsPerBlock)),
          frame_(rt::frame_bound(block_memory_.size())),
          content_(block_memory_.size()) {
        if (!frames_->start(settings.level)) std::exit(2);
    }

    void run(const std::string& name, Blocks blocks) {
        Totals totals;
        for (std::vector<Slot>& slots : blocks) {
            if (settings_.step > 0) coarsen(slots);
            run_block(slots.data(), slots.size(), totals);
        }
        const auto events = static_cast<double>(totals.events);
        const auto per_event = [&](double value) { return value / events; };
        std::printf("%-24s %8.0f k events  %.3f B/event  encode %.2f + zstd %.2f ns = %.0f M/s   zstd %.2f + decode %.2f ns = %.0f M/s\n",
                    name.c_str(), events / 1000, per_event(static_cast<double>(totals.bytes)), per_event(totals.ns.encode),
                    per_event(totals.ns.compress), 1000 * events / (totals.ns.encode + totals.ns.compress),
                    per_event(totals.ns.decompress), per_event(totals.ns.decode),
                    1000 * events / (totals.ns.decompress + totals.ns.decode));
        std::printf("    columns, coded B/event: actions %.3f  times %.3f  wide %.3f  time extra %.3f  escapes %.3f   clock step %.4f\n",
                    per_event(static_cast<double>(totals.columns[kActions])), per_event(static_cast<double>(totals.columns[kTimes])),
                    per_event(static_cast<double>(totals.columns[kWide])), per_event(static_cast<double>(totals.columns[kTimeExtra])),
                    per_event(static_cast<double>(totals.columns[kEscapes])),
                    static_cast<double>(workspace_->clock.step) / static_cast<double>(kWholeTick));
    }

  private:
    uint8_t* payload() { return block_memory_.data() + sizeof(BlockHeader); }

    void coarsen(std::vector<Slot>& slots) const {
        for (Slot& slot : slots) {
            const double steps = static_cast<double>(static_cast<uint64_t>(static_cast<double>(ticks_of(slot.time_word)) / settings_.step));
            slot.time_word = make_time_word(static_cast<uint64_t>(steps * settings_.step), kind_of(slot.time_word));
        }
    }

    void run_block(const Slot* slots, size_t count, Totals& totals) {
        std::vector<ChunkInput> chunks;
        for (size_t at = 0; at < count; at += kSlotsPerChunk) {
            chunks.push_back({slots + at, static_cast<uint32_t>(std::min<size_t>(count - at, kSlotsPerChunk)), 0});
        }
        Times best;
        EncodeResult result{};
        size_t size = 0;
        for (int round = 0; round < settings_.rounds; ++round) {
            const double start = now_ns();
            result = encode_block(*workspace_, chunks.data(), static_cast<uint32_t>(chunks.size()), TornPolicy::kSkip, payload(),
                                  block_memory_.size() - sizeof(BlockHeader));
            const double encoded = now_ns();
            auto* header = new (block_memory_.data()) BlockHeader{};
            header->payload_bytes = result.payload_bytes;
            size = frames_->write(*header, result.columns, result.column_count, frame_.data(), frame_.size());
            const double compressed = now_ns();
            const size_t content = ZSTD_decompressDCtx(zstd_.get(), content_.data(), content_.size(), frame_.data(), size);
            const double decompressed = now_ns();
            const DecodeStatus status = decoder_.decode(content_.data() + sizeof(BlockHeader), content - sizeof(BlockHeader), block_);
            const double decoded = now_ns();
            if (!status || block_.events.size() != count) {
                std::fprintf(stderr, "a block did not come back: %s\n", to_string(status.error));
                std::exit(1);
            }
            best.encode = std::min(best.encode, encoded - start);
            best.compress = std::min(best.compress, compressed - encoded);
            best.decompress = std::min(best.decompress, decompressed - compressed);
            best.decode = std::min(best.decode, decoded - decompressed);
        }
        check(slots, count);
        totals.events += count;
        totals.bytes += size;
        totals.ns.encode += best.encode;
        totals.ns.compress += best.compress;
        totals.ns.decompress += best.decompress;
        totals.ns.decode += best.decode;
        Directory directory;
        std::memcpy(&directory, payload(), sizeof directory);
        const uint8_t* column = payload() + sizeof directory;
        for (uint32_t i = 0; i < kColumnCount; column += directory.column_bytes[i++]) {
            if (directory.column_bytes[i] != 0) {
                totals.columns[i] += ZSTD_compress(frame_.data(), frame_.size(), column, directory.column_bytes[i], settings_.level);
            }
        }
    }

    void check(const Slot* slots, size_t count) const {
        for (size_t i = 0; i < count; ++i) {
            const Event& event = block_.events[i];
            const Symbol& symbol = block_.symbols[event.symbol];
            if (event.time_word == slots[i].time_word && event.stack == stack_of(slots[i]) && symbol.function == function_of(slots[i]) &&
                symbol.call_site == site_of(slots[i])) {
                continue;
            }
            std::fprintf(stderr, "record %zu of a block came back different\n", i);
            std::exit(1);
        }
    }

    Settings settings_;
    std::unique_ptr<EncoderWorkspace> workspace_;
    std::unique_ptr<rt::FrameWriter> frames_;
    std::unique_ptr<ZSTD_DCtx, size_t (*)(ZSTD_DCtx*)> zstd_{ZSTD_createDCtx(), ZSTD_freeDCtx};
    BlockDecoder decoder_;
    DecodedBlock block_;
    std::vector<uint8_t> block_memory_;  // the header, and the payload right behind it: the runtime does the same
    std::vector<uint8_t> frame_;
    std::vector<uint8_t> content_;
};

}  // namespace

int main(int argc, char** argv) {
    Settings settings;
    for (int i = 1; i < argc; ++i) {
        const std::string argument = argv[i];
        if (argument == "--level" && i + 1 < argc) {
            settings.level = std::atoi(argv[++i]);
        } else if (argument == "--step" && i + 1 < argc) {
            settings.step = std::atof(argv[++i]);
        } else if (argument == "--rounds" && i + 1 < argc) {
            settings.rounds = std::max(1, std::atoi(argv[++i]));
        } else {
            settings.traces.push_back(argument);
        }
    }
    Bench bench(settings);
    if (settings.traces.empty()) {
        bench.run("fib(27)", cut(fib_stream()));
        bench.run("walk, 500 functions", cut(walk_stream()));
    }
    for (const std::string& trace : settings.traces) bench.run(trace.substr(trace.rfind('/') + 1), read_trace(trace));
}
