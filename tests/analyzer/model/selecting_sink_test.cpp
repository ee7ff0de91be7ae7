#include <doctest/doctest.h>

#include "model/select_paths.h"
#include "slow_model_checks.h"

namespace fnprof::model::test {

namespace {

struct Taken {
    Profile profile;
    SelectingSink::Weights weights;
};

Taken taken(const SlowProgram& program, const CallSelection& selection, HookCost hook = {}) {
    std::unique_ptr<CallPlayer> player;
    Profile profile = without_empty_paths(program.profile(hook, &selection, &player));
    return {std::move(profile), player->selected()->weights()};
}

// The call as it is seen under a range of time, from the definitions in call_selection.h.
struct Clipped {
    bool counts = false;
    bool complete = false;  // begun and ended in the range
    uint64_t self_ns = 0;
    uint64_t duration_ns = 0;
};

Clipped clipped(const SlowCall& call, uint64_t from, uint64_t until) {
    const auto clip = [&](uint64_t ns) { return std::clamp(ns, from, until); };
    Clipped result{.counts = call.enter_ns >= from && call.enter_ns < until, .duration_ns = clip(call.exit_ns) - clip(call.enter_ns)};
    result.complete = result.counts && call.exit_ns < until;
    for (const auto& [begin, end] : call.parts) result.self_ns += clip(end) - clip(begin);
    return result;
}

// Every rule of CallSelection, on a whole stack.
Seen seen_by(const SlowProgram& program, const CallSelection& selection, size_t index) {
    const SlowCall& call = program.calls[index];
    if (selection.takes_thread && !selection.takes_thread(call.thread)) return {};
    const Clipped own = clipped(call, selection.from_ns, selection.until_ns);
    Seen seen{.self_ns = own.self_ns, .counts = own.counts};
    if (own.complete) seen.duration = own.duration_ns;
    uint32_t depth = 0;
    for (const size_t active : program.stack(index)) {
        const Clipped around = clipped(program.calls[active], selection.from_ns, selection.until_ns);
        const bool folded = ++depth > selection.most_depth || (around.complete && around.duration_ns < selection.least_ns);
        if (!folded) seen.path.push_back(program.calls[active].function);
        if (active == index && folded) {
            seen.counts = false;
            seen.duration.reset();
        }
    }
    // On the paths are those on which something was called, or time passed.
    if (!seen.counts && seen.self_ns == 0) return {};
    return seen;
}

void check_selection(const SlowProgram& program, const CallSelection& selection) {
    const Taken result = taken(program, selection);
    check_same(result.profile, SlowFigures(program, [&](size_t call) { return seen_by(program, selection, call); }));
    CHECK(weight_of(result.profile) == result.weights.shown);
    CHECK(result.weights.all.calls == program.calls.size());
}

uint64_t middle_ns(const SlowProgram& program) {
    uint64_t end_ns = 0;
    for (const SlowCall& call : program.calls) end_ns = std::max(end_ns, call.exit_ns);
    return (1000 + end_ns) / 2;
}

}  // namespace

TEST_CASE("a selection that takes everything gives the profile that there is without one") {
    const SlowProgram program(3);
    const CallSelection everything{};
    const Taken result = taken(program, everything, {.inner_ps = 700, .outer_ps = 400});
    const Profile whole = program.profile({.inner_ps = 700, .outer_ps = 400});
    CHECK(weight_of(whole) == result.weights.all);
    CHECK(weight_of(whole) == result.weights.shown);
    REQUIRE(whole.paths.size() == result.profile.paths.size());
    for (FunctionId id = 0; id < whole.stats.size(); ++id) {
        CHECK(figures_of(whole.stats[id]) == figures_of(result.profile.stats[id]));
        CHECK(whole.stats[id].histogram == result.profile.stats[id].histogram);
        CHECK(whole.stats[id].first.sum_ns == result.profile.stats[id].first.sum_ns);
        CHECK(whole.stats[id].slowest.size() == result.profile.stats[id].slowest.size());
    }
}

TEST_CASE("every figure of part of a run is that of whole stacks looked at one by one") {
    for (unsigned seed = 1; seed <= 12; ++seed) {
        CAPTURE(seed);
        const SlowProgram program(seed);
        const uint64_t middle = middle_ns(program);
        check_selection(program, {.from_ns = middle - 400, .until_ns = middle + 300});
        check_selection(program, {.from_ns = middle});
        check_selection(program, {.until_ns = middle});
        check_selection(program, {.takes_thread = [](uint32_t serial) { return serial == 2; }});
        check_selection(program, {.most_depth = 3});
        check_selection(program, {.least_ns = 60});
        check_selection(program, {.most_depth = 4, .least_ns = 60});
        check_selection(program, {.from_ns = middle - 400, .until_ns = middle + 600, .takes_thread = [](uint32_t serial) { return serial == 1; },
                                  .most_depth = 5, .least_ns = 40});
    }
}

TEST_CASE("adjoining ranges of time, and the threads, add up to the whole run") {
    for (unsigned seed = 30; seed <= 36; ++seed) {
        const SlowProgram program(seed);
        const HookCost hook{.inner_ps = 500, .outer_ps = 300};
        const Weight whole = weight_of(program.profile(hook));
        const uint64_t middle = middle_ns(program);
        Weight sum;
        for (const CallSelection& part : {CallSelection{.until_ns = middle - 100}, CallSelection{.from_ns = middle - 100, .until_ns = middle + 50},
                                          CallSelection{.from_ns = middle + 50}}) {
            sum += weight_of(taken(program, part, hook).profile);
        }
        CHECK(sum == whole);
        sum = {};
        for (const uint32_t thread : {1u, 2u}) {
            sum += weight_of(taken(program, {.takes_thread = [thread](uint32_t serial) { return serial == thread; }}, hook).profile);
        }
        CHECK(sum == whole);
    }
}

TEST_CASE("folded calls take the cost of their hooks with them") {
    const SlowProgram program(50);
    const HookCost hook{.inner_ps = 500, .outer_ps = 300};
    const Taken result = taken(program, {.most_depth = 2}, hook);
    CHECK(weight_of(result.profile).self_ns == weight_of(program.profile(hook)).self_ns);
    CHECK(weight_of(result.profile).self_hook_ps == weight_of(program.profile(hook)).self_hook_ps);
    CHECK(weight_of(result.profile).calls + result.weights.folded.calls == program.calls.size());
}

TEST_CASE("a call that a range cuts is open at its end, and inherited at its beginning") {
    // main from 100 to 200 calls f from 120 to 160.
    std::unique_ptr<CallPlayer> player;
    const auto play = [&](const CallSelection& selection) {
        player = make_player(true, {}, {}, false, &selection);
        ThreadStack thread;
        thread.serial = 1;
        const std::vector<CallSymbol> symbols{{.function = 0}, {.function = 1}};
        const auto event = [](uint64_t ns, format::Kind kind, uint32_t function) {
            return format::Event{format::make_time_word(ns, kind), function, 5000 - 4 * function};
        };
        const std::vector<format::Event> events{event(100, format::Kind::kEnter, 0), event(120, format::Kind::kEnter, 1),
                                                event(160, format::Kind::kExit, 1), event(200, format::Kind::kExit, 0)};
        player->run(thread, symbols, events);
        player->end_thread(thread, 200, false);
        player->end_process();
        Profile profile;
        profile.functions.resize(2);
        derive_statistics(player->tree(), profile);
        return without_empty_paths(profile);
    };
    const Profile begins_inside = play({.from_ns = 110, .until_ns = 150});
    CHECK(begins_inside.stats[0].ncalls == 0);
    CHECK(begins_inside.stats[0].cost.self_ns == 10);
    CHECK(begins_inside.stats[0].cost.cumulative_ns == 40);
    CHECK(begins_inside.stats[1].ncalls == 1);
    CHECK(begins_inside.stats[1].open_calls == 1);
    CHECK(begins_inside.stats[1].cost.self_ns == 30);
    CHECK(begins_inside.stats[1].durations.calls == 0);
    REQUIRE(begins_inside.stats[1].slowest.size() == 1);
    CHECK(begins_inside.stats[1].slowest[0].ending == Ending::kOpen);
    CHECK(begins_inside.stats[1].slowest[0].elapsed_ns == 30);
    const Profile ends_inside = play({.from_ns = 130, .until_ns = 1000});
    CHECK(ends_inside.stats[1].ncalls == 0);
    CHECK(ends_inside.stats[1].cost.self_ns == 30);
    CHECK(ends_inside.stats[1].open_calls == 0);
    CHECK(ends_inside.stats[0].cost.cumulative_ns == 70);
    CHECK(play({.from_ns = 300}).paths.empty());
}

}  // namespace fnprof::model::test
