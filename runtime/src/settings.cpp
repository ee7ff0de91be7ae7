#include "settings.h"

#include "../format/layout.h"
#include "bytes.h"
#include "diag.h"
#include "memory.h"
#include "proc_file.h"
#include "sys.h"

namespace fnprof::rt {

namespace {

struct Text {
    const char* at;
    size_t length;
};

bool equals(Text text, const char* word) {
    return text.length == text_length(word) && equal_bytes(text.at, word, text.length);
}

bool begins_with(Text text, const char* beginning) {
    size_t length = text_length(beginning);
    return text.length >= length && equal_bytes(text.at, beginning, length);
}

// Splits the block into variables, front to back.
class Environment {
  public:
    Environment(const char* bytes, size_t length) : at_(bytes), end_(bytes + length) {}

    bool next(Text& name, Text& value) {
        while (at_ < end_) {
            const char* first = at_;
            while (at_ < end_ && *at_ != 0) at_++;
            const char* last = at_;
            if (at_ < end_) at_++;
            const char* equal_sign = first;
            while (equal_sign < last && *equal_sign != '=') equal_sign++;
            if (equal_sign == last) continue;
            name = {first, static_cast<size_t>(equal_sign - first)};
            value = {equal_sign + 1, static_cast<size_t>(last - equal_sign - 1)};
            return true;
        }
        return false;
    }

  private:
    const char* at_;
    const char* end_;
};

bool parse_number(Text text, uint64_t limit, uint64_t& value) {
    if (text.length == 0) return false;
    value = 0;
    for (size_t i = 0; i < text.length; i++) {
        if (text.at[i] < '0' || text.at[i] > '9') return false;
        value = value * 10 + static_cast<uint64_t>(text.at[i] - '0');
        if (value > limit) return false;
    }
    return true;
}

bool parse_integer(Text text, int low, int high, int& to) {
    bool negative = text.length != 0 && text.at[0] == '-';
    if (negative) text = {text.at + 1, text.length - 1};
    uint64_t value = 0;
    if (!parse_number(text, 1000, value)) return false;
    int result = negative ? -static_cast<int>(value) : static_cast<int>(value);
    if (result < low || result > high) return false;
    to = result;
    return true;
}

bool set_enable(Text value, Settings& settings) {
    constexpr const char* kYes[] = {"1", "on", "yes", "true"};
    constexpr const char* kNo[] = {"0", "off", "no", "false"};
    for (const char* word : kYes)
        if (equals(value, word)) {
            settings.enabled = true;
            return true;
        }
    for (const char* word : kNo)
        if (equals(value, word)) {
            settings.enabled = false;
            return true;
        }
    return false;
}

bool set_overflow(Text value, Settings& settings) {
    if (!equals(value, "wait") && !equals(value, "drop")) return false;
    settings.overflow = equals(value, "drop") ? Settings::kDrop : Settings::kWait;
    return true;
}

bool set_clock(Text value, Settings& settings) {
    if (!equals(value, "tsc") && !equals(value, "monotonic")) return false;
    settings.clock = equals(value, "tsc") ? Settings::kTsc : Settings::kMonotonic;
    return true;
}

bool set_ring_size(Text value, Settings& settings) {
    unsigned shift = 0;
    if (value.length != 0) {
        char unit = value.at[value.length - 1];
        shift = unit == 'K' || unit == 'k' ? 10 : unit == 'M' || unit == 'm' ? 20 : unit == 'G' || unit == 'g' ? 30 : 0;
        if (shift != 0) value.length--;
    }
    uint64_t bytes = 0;
    if (!parse_number(value, UINT64_MAX >> 31, bytes)) return false;
    bytes <<= shift;
    if (bytes > uint64_t{kMaxRingChunks} * format::kChunkBytes) return false;
    uint64_t chunks = (bytes + format::kChunkBytes - 1) / format::kChunkBytes;
    chunks += chunks & 1;
    if (bytes < uint64_t{kMinRingChunks} * format::kChunkBytes) return false;
    settings.ring_chunks = static_cast<uint32_t>(chunks);
    return true;
}

bool set_compression(Text value, Settings& settings) { return parse_integer(value, -5, 19, settings.compression); }
bool set_verbose(Text value, Settings& settings) { return parse_integer(value, 0, 2, settings.verbose); }

bool set_output(Text value, Settings& settings) {
    if (value.length >= sizeof settings.output) return false;
    copy_bytes(settings.output, value.at, value.length);
    settings.output[value.length] = 0;
    return true;
}

struct Variable {
    const char* name;
    bool (*set)(Text value, Settings& settings);
    const char* expected;
    const char* fallback;
};
constexpr Variable kVariables[] = {
    {"FNPROF_ENABLE", set_enable, "0 or 1", "1"},
    {"FNPROF_OUTPUT", set_output, "a path of at most 4095 bytes", "trace.zst"},
    {"FNPROF_RING_SIZE", set_ring_size, "256K to 64M", "1M"},
    {"FNPROF_OVERFLOW", set_overflow, "wait or drop", "wait"},
    {"FNPROF_CLOCK", set_clock, "tsc or monotonic", "the one that fits"},
    {"FNPROF_COMPRESSION", set_compression, "a zstd level from -5 to 19", "1"},
    {"FNPROF_VERBOSE", set_verbose, "0, 1 or 2", "0"},
};
constexpr const Variable& kEnable = kVariables[0];

// An empty value counts as absent, as everywhere.
void apply(const Variable& variable, Text value, Settings& settings) {
    if (value.length == 0 || variable.set(value, settings)) return;
    constexpr size_t kShown = 200;
    DiagLine line;
    line.add(variable.name).add("=").add(value.at, value.length < kShown ? value.length : kShown);
    if (value.length > kShown) line.add("...");
    line.add(" is not ").add(variable.expected).add(": using ").add(variable.fallback).write();
}

void apply_or_complain(Text name, Text value, Settings& settings) {
    if (equals(name, kEnable.name)) return;  // already looked at
    for (const Variable& variable : kVariables)
        if (equals(name, variable.name)) return apply(variable, value, settings);
    DiagLine line;
    line.add(name.at, name.length < 100 ? name.length : 100).add(" is ignored: known are FNPROF_ENABLE");
    for (const Variable& variable : kVariables)
        if (&variable != &kEnable) line.add(", ").add(variable.name);
    line.write();
}

// Launchers' variables, the most specific first: an MPI job under Slurm has both.
constexpr const char* kRankVariables[] = {"PMIX_RANK",           "OMPI_COMM_WORLD_RANK", "PMI_RANK",
                                          "MV2_COMM_WORLD_RANK", "SLURM_PROCID",         "MPI_RANK"};
constexpr size_t kRankVariableCount = sizeof kRankVariables / sizeof kRankVariables[0];

// Returns the priority that stands after looking at this variable.
size_t take_rank(Text name, Text value, size_t best, Settings& settings) {
    uint64_t rank = 0;
    for (size_t i = 0; i < best; i++) {
        if (!equals(name, kRankVariables[i]) || !parse_number(value, UINT32_MAX, rank)) continue;
        TextBuffer(settings.rank, sizeof settings.rank).add_decimal(rank);
        return i;
    }
    return best;
}

// What the kernel told the program at its start: AT_SECURE. A process may not be able to ask (it is not dumpable); the ids
// decide then.
bool is_set_user_id(GrowingMemory& scratch) {
    size_t bytes = 0;
    if (read_whole_file("/proc/self/auxv", scratch, bytes) && bytes != 0) {
        constexpr uint64_t kAtSecure = 23;
        for (size_t at = 0; at + 16 <= bytes; at += 16) {
            uint64_t entry[2];
            copy_bytes(entry, scratch.data() + at, sizeof entry);
            if (entry[0] == kAtSecure) return entry[1] != 0;
        }
    }
    return sys::getuid() != sys::geteuid() || sys::getgid() != sys::getegid();
}

}  // namespace

// Context: init; signal-safe.
void parse_settings(const char* environment, size_t bytes, Settings& settings) {
    Text name, value;
    // A program that is not traced hears nothing of the other variables.
    for (Environment all(environment, bytes); all.next(name, value);)
        if (equals(name, kEnable.name)) apply(kEnable, value, settings);
    if (!settings.enabled) return;

    size_t rank_priority = kRankVariableCount;
    for (Environment all(environment, bytes); all.next(name, value);) {
        rank_priority = take_rank(name, value, rank_priority, settings);
        if (begins_with(name, "FNPROF_")) apply_or_complain(name, value, settings);
    }
}

// Context: init; signal-safe.
void read_settings(Settings& settings) {
    GrowingMemory memory;
    size_t bytes = 0;
    if (is_set_user_id(memory)) {
        settings.enabled = false;
        DiagLine().add("set-user-id programs are not traced").write();
    } else if (read_whole_file("/proc/self/environ", memory, bytes)) {
        parse_settings(reinterpret_cast<const char*>(memory.data()), bytes, settings);
    }
    memory.release();
}

}  // namespace fnprof::rt
