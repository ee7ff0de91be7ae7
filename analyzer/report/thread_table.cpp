#include "report/thread_table.h"

#include "report/order.h"
#include "report/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <compare>
#include <numeric>

namespace fnprof::report {
namespace {

struct Key {
    std::string_view name;
    ThreadField field;
    std::string_view description;
};

constexpr std::array<Key, 11> kKeys{{
    {"busy", ThreadField::kBusy, "time in instrumented code"},
    {"calls", ThreadField::kCalls, "call count"},
    {"gaps", ThreadField::kGaps, "time taken by fnprof"},
    {"life", ThreadField::kLife, "life"},
    {"lost", ThreadField::kLost, "lost records"},
    {"name", ThreadField::kName, "name"},
    {"pid", ThreadField::kProcess, "process"},
    {"start", ThreadField::kStart, "start"},
    {"thread", ThreadField::kSerial, "number"},
    {"tid", ThreadField::kTid, "tid"},
    {"utilisation", ThreadField::kUtilisation, "utilisation"},
}};

const Key& find_key(std::string_view word) {
    const Key* found = nullptr;
    for (const Key& key : kKeys) {
        if (key.name == word) return key;
        if (!key.name.starts_with(word) || word.empty()) continue;
        if (found != nullptr) throw UsageError(fmt::format("sort key '{}' can be {} or {}", printable(word), found->name, key.name));
        found = &key;
    }
    if (found == nullptr) throw UsageError(fmt::format("there is no sort key '{}'; threads are sorted by {}", printable(word), thread_key_names()));
    return *found;
}

// Shares compare as products, which are exact.
std::strong_ordering by_share(const model::Thread& a, const model::Thread& b) {
    const Picoseconds left = Picoseconds{a.busy_ns} * std::max<uint64_t>(life_ns(b), 1);
    const Picoseconds right = Picoseconds{b.busy_ns} * std::max<uint64_t>(life_ns(a), 1);
    return left < right ? std::strong_ordering::less : left > right ? std::strong_ordering::greater : std::strong_ordering::equal;
}

uint64_t pid_of(const model::Profile& profile, const model::Thread& thread) {
    return thread.process == model::kNone ? 0 : profile.processes[thread.process].pid;
}

// Names, numbers and starts rise, amounts fall.
std::strong_ordering compare(const model::Profile& profile, const model::Thread& a, const model::Thread& b, ThreadField field) {
    switch (field) {
        case ThreadField::kBusy: return b.busy_ns <=> a.busy_ns;
        case ThreadField::kCalls: return b.ncalls <=> a.ncalls;
        case ThreadField::kUtilisation: return by_share(b, a);
        case ThreadField::kLife: return life_ns(b) <=> life_ns(a);
        case ThreadField::kGaps: return b.gap_ns <=> a.gap_ns;
        case ThreadField::kLost: return b.lost_records <=> a.lost_records;
        case ThreadField::kStart: return a.start_ns <=> b.start_ns;
        case ThreadField::kSerial: return a.serial <=> b.serial;
        case ThreadField::kProcess: return pid_of(profile, a) <=> pid_of(profile, b);
        case ThreadField::kTid: return a.tid <=> b.tid;
        case ThreadField::kName: return a.name <=> b.name;
    }
    return std::strong_ordering::equal;
}

std::string duration(uint64_t ns) { return format_time(Picoseconds{ns} * 1000); }

}  // namespace

std::string thread_key_names() {
    std::string names;
    for (const Key& key : kKeys) names += fmt::format("{}{}", names.empty() ? "" : ", ", key.name);
    return names;
}

ThreadOrder parse_thread_order(std::string_view keys) {
    ThreadOrder order{.fields = {}, .description = ""};
    while (true) {
        const size_t comma = keys.find(',');
        const Key& key = find_key(keys.substr(0, comma));
        order.fields.push_back(key.field);
        order.description += fmt::format("{}{}", order.description.empty() ? "" : ", ", key.description);
        if (comma == std::string_view::npos) return order;
        keys.remove_prefix(comma + 1);
    }
}

std::vector<uint32_t> sorted_threads(const model::Profile& profile, const ThreadOrder& order) {
    std::vector<uint32_t> threads(profile.threads.size());
    std::iota(threads.begin(), threads.end(), 0U);
    std::ranges::sort(threads, [&](uint32_t left, uint32_t right) {
        for (const ThreadField field : order.fields) {
            const std::strong_ordering result = compare(profile, profile.threads[left], profile.threads[right], field);
            if (result != 0) return order.reversed ? result > 0 : result < 0;
        }
        return left < right;
    });
    return threads;
}

uint64_t life_ns(const model::Thread& thread) { return thread.end_ns - std::min(thread.start_ns, thread.end_ns); }

void print_thread_table(std::ostream& out, const Page& page, std::span<const uint32_t> threads) {
    Grid grid({"  thread", "process", "tid", "calls", "started", "lived", "busy", "busy%", "fnprof", "lost", "name"});
    for (const uint32_t index : threads) {
        const model::Thread& thread = page.profile.threads[index];
        const model::Process* process = thread.process == model::kNone ? nullptr : &page.profile.processes[thread.process];
        const uint64_t origin = process == nullptr ? thread.start_ns : std::min(process->start_ns, thread.start_ns);
        grid.add({fmt::format("  {}", thread.serial), process == nullptr ? "?" : fmt::to_string(process->pid), fmt::to_string(thread.tid),
                  fmt::to_string(thread.ncalls), "+" + duration(thread.start_ns - origin), duration(life_ns(thread)), duration(thread.busy_ns),
                  format_percent(thread.busy_ns, life_ns(thread)), duration(thread.gap_ns), fmt::to_string(thread.lost_records),
                  printable(thread.name)});
    }
    grid.print(out, page);
}

}  // namespace fnprof::report
