#include "calibrate.h"

#include "clock.h"
#include "control.h"
#include "sys.h"

extern "C" void fnprof_enter(void* function, void* call_site);
extern "C" void fnprof_exit(void* function, void* call_site);

namespace fnprof::rt {

using format::ClockPair;

namespace {

constexpr uint32_t kCallsPerBatch = 256;
constexpr int kBatches = 6;  // the first ones warm up caches and predictors; the cheapest counts
static_assert(kCallsPerBatch * 2 <= format::kSlotsPerChunk);

uint64_t ticks_at(const format::Chunk& chunk, uint32_t index) { return format::ticks_of(chunk.slots[index].time_word); }

// The clock may move in steps that are larger than a tick (hypervisors and some processors scale a slower counter). Then the
// differences between successive readings are small multiples of the step, and hardly any lies between one and two steps.
uint64_t find_step_milliticks(const format::Chunk& chunk, uint32_t count) {
    uint64_t smallest = ~uint64_t{0};
    for (uint32_t i = 1; i < count; i++) {
        uint64_t delta = ticks_at(chunk, i) - ticks_at(chunk, i - 1);
        if (delta != 0 && delta < smallest) smallest = delta;
    }
    uint64_t near_count = 0, near_sum = 0, between = 0;
    for (uint32_t i = 1; i < count; i++) {
        uint64_t delta = ticks_at(chunk, i) - ticks_at(chunk, i - 1);
        if (delta >= smallest && delta <= smallest + 1) near_count++, near_sum += delta;
        else if (delta > smallest + 1 && delta + 1 < 2 * smallest) between++;
    }
    constexpr uint64_t kTick = 1000;
    if (smallest < 4 || near_count == 0 || between * 50 > count) return kTick;
    return near_sum * kTick / near_count;
}

}  // namespace

ClockPair read_clock_pair() {
    if (clock_counts_ns()) {
        const uint64_t ns = clock_ticks();
        return {ns, ns};
    }
    ClockPair best{};
    uint64_t best_width = ~uint64_t{0};
    for (int i = 0; i < 5; i++) {
        uint64_t before = clock_ticks();
        uint64_t ns = sys::clock_ns(sys::kClockMonotonic);
        uint64_t after = clock_ticks();
        if (after - before >= best_width) continue;
        best_width = after - before;
        best = {before + (after - before) / 2, ns};
    }
    return best;
}

void write_clock_pair(ItemWriter& items) { items.write(format::ItemType::kClockPair, read_clock_pair()); }

HookCost measure_hooks() {
    HookCost result{{0, 0}, 1000};
    long mapped = sys::mmap(nullptr, sizeof(format::Chunk), sys::kProtRead | sys::kProtWrite, sys::kMapPrivate | sys::kMapAnonymous, -1, 0);
    if (sys::failed(mapped)) return result;
    auto& chunk = *reinterpret_cast<format::Chunk*>(mapped);
    Control scratch{};
    Control* const saved = t_control;
    Control* const saved_slow = t_slow_control;
    t_control = clock_counts_ns() ? nullptr : &scratch;
    t_slow_control = clock_counts_ns() ? &scratch : nullptr;
    // Through volatile pointers: called as a program calls them, not inlined and not folded.
    void (*volatile enter)(void*, void*) = fnprof_enter;
    void (*volatile exit)(void*, void*) = fnprof_exit;
    void* function = reinterpret_cast<void*>(&measure_hooks);
    ClockPair first = read_clock_pair();
    uint64_t best_total = ~uint64_t{0}, best_inner = 0;
    for (int batch = 0; batch < kBatches; batch++) {
        scratch.cursor = reinterpret_cast<uint64_t>(chunk.slots);
        scratch.limit = reinterpret_cast<uint64_t>(&chunk + 1);
        uint64_t began = clock_ticks();
        for (uint32_t i = 0; i < kCallsPerBatch; i++) {
            enter(function, function);
            exit(function, function);
        }
        uint64_t total = clock_ticks() - began;
        if (total >= best_total) continue;
        best_total = total;
        best_inner = 0;
        for (uint32_t i = 0; i < kCallsPerBatch; i++) best_inner += ticks_at(chunk, 2 * i + 1) - ticks_at(chunk, 2 * i);
    }
    result.step_milliticks = find_step_milliticks(chunk, kCallsPerBatch * 2);
    ClockPair last = read_clock_pair();
    t_control = saved;
    t_slow_control = saved_slow;
    sys::munmap(&chunk, sizeof chunk);

    // ticks -> picoseconds with the rate seen over this measurement (about 100 us: good to some 0.05 %).
    uint64_t ticks = last.ticks - first.ticks, ns = last.monotonic_ns - first.monotonic_ns;
    if (ticks == 0) return result;
    auto to_ps = [&](uint64_t sum) {
        return sum * ns / ticks * 1000 / kCallsPerBatch + sum * ns % ticks * 1000 / ticks / kCallsPerBatch;
    };
    uint64_t inner = to_ps(best_inner), total = to_ps(best_total);
    result.cost = {inner, total > inner ? total - inner : 0};
    return result;
}

}  // namespace fnprof::rt
