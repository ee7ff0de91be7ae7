#include "model/inlined_catch.h"

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <vector>

#include "model/region_map.h"

namespace fnprof::model {

namespace {

using format::Kind;

// Calls of the same functions that are entered while we look ahead: their exits are not those that we look for.
struct Later {
    FunctionId function;
    uint32_t stack;
};

struct Answer {
    std::optional<size_t> alive;
    bool certain = false;
};

// As the following records tell. An exit that fits is certain, unless another catch in the frame comes before it, which may have ended
// some of the calls. Failing that, a call in the place of one of the frames (same function, machine frame and call site) shows that this
// is gone: the only functions inlined into themselves are gcc's, and those have exits.
Answer look_ahead(std::span<const Frame> frames, FunctionId caller, const InlinedCatch::Control& control,
                                 std::span<const CallSymbol> symbols, std::span<const format::Event> following) {
    std::vector<Later> later;
    std::optional<size_t> replaced;
    bool certain = true;
    for (const format::Event& event : following.first(std::min(following.size(), kLookAhead))) {
        if (std::abs(static_cast<int64_t>(static_cast<int32_t>(event.stack - control.stack))) > kBiggestFrame) continue;  // another stack
        const Kind kind = format::kind_of(event.time_word);
        const CallSymbol& symbol = symbols[event.symbol];
        if (kind == Kind::kCatch || kind == Kind::kLongjmp) {
            if (is_below(control.stack, event.stack)) break;  // all of them may have ended there
            if (event.stack == control.stack && (kind != control.kind || symbol.call_site != control.place)) {
                // A jump ends all but the first, for certain.
                if (kind == Kind::kLongjmp || control.kind == Kind::kLongjmp) break;
                certain = false;
            }
            while (!later.empty() && is_below(later.back().stack, event.stack)) later.pop_back();
        }
        if (kind != Kind::kEnter && kind != Kind::kExit) continue;
        const auto ours = std::find_if(frames.rbegin(), frames.rend(), [&](const Frame& one) { return one.function == symbol.function; });
        if (ours == frames.rend() && symbol.function != caller) continue;
        if (kind == Kind::kEnter) {
            if (!replaced && ours != frames.rend() && event.stack == control.stack && symbol.call_site == ours->call_site) {
                replaced = static_cast<size_t>(frames.rend() - ours) - 1;
            }
            later.push_back({symbol.function, event.stack});
            continue;
        }
        const auto call = std::find_if(later.rbegin(), later.rend(), [&](const Later& one) { return one.function == symbol.function; });
        if (call == later.rend()) {
            const auto alive = static_cast<size_t>(frames.rend() - ours);
            return {alive, certain || alive == frames.size()};
        }
        later.erase(std::prev(call.base()), later.end());
    }
    return {replaced, false};
}

// Frames up to the nearest of `function`; none for no function.
std::optional<size_t> up_to(std::span<const Frame> frames, FunctionId function) {
    if (function == kNone) return 0;
    const auto found = std::find_if(frames.rbegin(), frames.rend(), [&](const Frame& one) { return one.function == function; });
    if (found == frames.rend()) return std::nullopt;
    return static_cast<size_t>(frames.rend() - found);
}

}  // namespace

void InlinedCatch::left(FunctionId function, bool with_exit) {
    exits_[function] = with_exit;
    (with_exit ? some_with_exits_ : some_without_) = true;
}

size_t InlinedCatch::surely_alive(std::span<const Frame> frames) const {
    const bool all_with_exits = some_with_exits_ && !some_without_;
    const auto has_exits = [&](const Frame& frame) {
        const auto known = exits_.find(frame.function);
        return known != exits_.end() ? known->second : all_with_exits;
    };
    return static_cast<size_t>(frames.rend() - std::find_if(frames.rbegin(), frames.rend(), has_exits));
}

size_t InlinedCatch::alive(std::span<const Frame> frames, FunctionId caller, const Control& control, std::span<const CallSymbol> symbols,
                           std::span<const format::Event> following) {
    constexpr uint32_t kFruitless = 64;
    const size_t least = control.kind == Kind::kCatch ? surely_alive(frames) : 0;
    if (least == frames.size()) return least;
    Known& known = places_[control.place];
    // One frame: either it or none, as ever. Of several, a recursion's may have got control at different depths.
    const bool settled = known.told && (frames.size() == 1 || known.fruitless >= kFruitless);
    Answer answer;
    if (!settled && known.fruitless < kFruitless) {
        answer = look_ahead(frames, caller, control, symbols, following);
        known.fruitless = answer.alive ? 0 : known.fruitless + 1;
        if (answer.certain) known = {*answer.alive == 0 ? kNone : frames[*answer.alive - 1].function, true, 0};
    }
    if (!answer.certain && known.told && control.place != 0) answer.alive = up_to(frames, known.function);
    return std::max(least, answer.alive.value_or(frames.size()));
}

}  // namespace fnprof::model
