// Record streams for tests and benchmarks: call trees and walks with plausible addresses, and noise.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "format/layout.h"

namespace fnprof::testing {

// A clock that moves by `step` ticks (any fraction) at a time, read after irregular waits.
class StepClock {
  public:
    StepClock(double step, double mean_wait_ticks, uint32_t seed) : step_(step), wait_(1 / mean_wait_ticks), random_(seed) {}
    uint64_t read() {
        now_ += wait_(random_);
        return 1'000'000 + static_cast<uint64_t>(static_cast<double>(static_cast<uint64_t>(now_ / step_)) * step_);
    }

  private:
    double step_;
    double now_ = 0;
    std::exponential_distribution<double> wait_;
    std::mt19937 random_;
};

// fib(n): one function, two call sites in itself, one outside.
inline void fib_calls(std::vector<format::Slot>& out, StepClock& clock, unsigned n, uint64_t site = 0x401900,
                      uint32_t stack = 0x7fff0000) {
    constexpr uint64_t kFib = 0x401100;
    out.push_back(format::make_slot(format::Kind::kEnter, kFib, site, stack, clock.read()));
    if (n >= 2) {
        fib_calls(out, clock, n - 1, kFib + 0x2b, stack - 3);
        fib_calls(out, clock, n - 2, kFib + 0x3a, stack - 3);
    }
    out.push_back(format::make_slot(format::Kind::kExit, kFib, site, stack, clock.read()));
}

// A random walk over a call graph: `functions` functions, each with a few call sites of fixed callees. Some returns skip frames
// without exits, as after a longjmp; some exits have a stack pointer of their own, as tail-called hooks do.
inline std::vector<format::Slot> random_walk(StepClock& clock, uint32_t functions, size_t events, uint32_t seed,
                                             double skip_probability = 0) {
    struct Frame {
        uint32_t function;
        uint64_t site;
        uint32_t stack;
    };
    std::mt19937 random(seed);
    const auto address = [](uint32_t function) { return 0x555500001000u + uint64_t{function} * 0x95; };
    std::vector<format::Slot> out;
    std::vector<Frame> stack;
    uint32_t first_stack = 0x7ffe0000;
    while (out.size() < events) {
        const bool call = stack.empty() || (stack.size() < 60 && random() % 100 < 50);
        if (call) {
            const uint32_t caller = stack.empty() ? 0 : stack.back().function;
            const auto site = static_cast<uint32_t>(random() % (1 + caller % 4));
            const uint32_t callee = (caller * 7 + site * 131 + 1) % functions;
            const uint64_t call_site = address(caller) + 0x20 + site * 0x11;
            const uint32_t top = stack.empty() ? first_stack : stack.back().stack - 2 - caller % 5;
            stack.push_back({callee, call_site, top});
            out.push_back(format::make_slot(format::Kind::kEnter, address(callee), call_site, top, clock.read()));
            continue;
        }
        if (std::uniform_real_distribution<>(0, 1)(random) < skip_probability) {
            stack.resize(random() % stack.size());
            continue;
        }
        const Frame frame = stack.back();
        stack.pop_back();
        const uint32_t exit_stack = frame.stack + (frame.function % 3 == 0 && random() % 8 == 0 ? 1 : 0);
        out.push_back(format::make_slot(format::Kind::kExit, address(frame.function), frame.site, exit_stack, clock.read()));
    }
    return out;
}

// Slots of any bits but those of a torn one.
inline std::vector<format::Slot> noise(size_t events, uint32_t seed) {
    std::mt19937_64 random(seed);
    std::vector<format::Slot> out(events);
    for (format::Slot& slot : out) {
        slot = {random(), random(), (random() & ~format::kKindMask) | (1 + random() % format::kKindMask)};
    }
    return out;
}

}  // namespace fnprof::testing
