#include "model/inlined_catch.h"

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "model/region_map.h"

namespace fnprof::model {

namespace {

// Calls of the same functions that are entered while we look ahead: their exits are not those that we look for.
struct Later {
    FunctionId function;
    uint32_t stack;
};

// As the following records tell; 0 if they do not.
size_t look_ahead(std::span<const Frame> frames, uint32_t stack, std::span<const CallSymbol> symbols,
                  std::span<const format::Event> following) {
    std::vector<Later> later;
    const auto drop_below = [&](uint32_t control) {
        while (!later.empty() && is_below(later.back().stack, control)) later.pop_back();
    };
    for (const format::Event& event : following.first(std::min(following.size(), kLookAhead))) {
        if (std::abs(static_cast<int64_t>(static_cast<int32_t>(event.stack - stack))) > kBiggestFrame) continue;  // another stack
        const format::Kind kind = format::kind_of(event.time_word);
        if (kind == format::Kind::kCatch || kind == format::Kind::kLongjmp) {
            if (is_below(stack, event.stack)) return 0;  // they all end there
            drop_below(event.stack);
        }
        if (kind != format::Kind::kEnter && kind != format::Kind::kExit) continue;
        const FunctionId function = symbols[event.symbol].function;
        const auto ours = std::find_if(frames.rbegin(), frames.rend(), [&](const Frame& frame) { return frame.function == function; });
        if (ours == frames.rend()) continue;
        if (kind == format::Kind::kEnter) {
            later.push_back({function, event.stack});
            continue;
        }
        const auto call = std::find_if(later.rbegin(), later.rend(), [&](const Later& one) { return one.function == function; });
        if (call == later.rend()) return static_cast<size_t>(frames.rend() - ours);
        later.erase(std::prev(call.base()), later.end());
    }
    return 0;
}

}  // namespace

size_t InlinedCatch::alive(std::span<const Frame> frames, uint32_t stack, uint64_t handler, std::span<const CallSymbol> symbols,
                           std::span<const format::Event> following) {
    if (const size_t alive = look_ahead(frames, stack, symbols, following); alive != 0) {
        if (handler != 0) catchers_[handler] = frames[alive - 1].function;
        return alive;
    }
    const auto known = catchers_.find(handler);
    if (known == catchers_.end()) return frames.size();
    const auto catcher = std::find_if(frames.rbegin(), frames.rend(), [&](const Frame& one) { return one.function == known->second; });
    return catcher == frames.rend() ? frames.size() : static_cast<size_t>(frames.rend() - catcher);
}

}  // namespace fnprof::model
