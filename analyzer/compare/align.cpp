#include "compare/align.h"

#include "model/merge.h"

namespace fnprof::compare {

namespace {

// A side's functions, each once, and of each run's functions which of them it is.
struct SideFunctions {
    std::vector<Identity> functions;
    std::vector<Place> places;
    std::vector<std::vector<uint32_t>> numbers;
};

SideFunctions collect(std::span<const Run> runs) {
    SideFunctions side;
    for (size_t run = 0; run < runs.size(); ++run) {
        const std::vector<Identity>& found = runs[run].functions;
        const std::vector<std::optional<uint32_t>> same = match(side.functions, found);
        std::vector<uint32_t> numbers;
        for (uint32_t id = 0; id < found.size(); ++id) {
            numbers.push_back(same[id].value_or(static_cast<uint32_t>(side.functions.size())));
            if (same[id]) continue;
            side.functions.push_back(found[id]);
            side.places.push_back({run, id});
        }
        side.numbers.push_back(std::move(numbers));
    }
    return side;
}

// The profile with other numbers; functions that it lacks get zeros. Merging sorts by offset, so that is where the number stands.
model::Profile renumbered(const model::Profile& profile, const std::vector<uint32_t>& numbers, size_t size) {
    model::Profile skeleton;
    for (uint32_t id = 0; id < size; ++id) skeleton.functions.push_back({model::kNone, id, {}});
    skeleton.stats.resize(size);
    model::Profile other = profile;
    for (size_t i = 0; i < other.functions.size(); ++i) other.functions[i] = {model::kNone, numbers[i], profile.functions[i].mangled};
    return model::merge({std::move(skeleton), std::move(other)});
}

}  // namespace

Aligned align(std::span<const Run> a, std::span<const Run> b) {
    const std::array<std::span<const Run>, 2> given{a, b};
    std::array<SideFunctions, 2> sides{collect(a), collect(b)};
    const std::vector<std::optional<uint32_t>> same = match(sides[kA].functions, sides[kB].functions);
    Aligned out;
    out.places[kA].assign(sides[kA].places.begin(), sides[kA].places.end());
    out.places[kB].resize(sides[kA].functions.size());
    std::vector<uint32_t> numbers_of_b;
    for (size_t i = 0; i < same.size(); ++i) {
        numbers_of_b.push_back(same[i].value_or(static_cast<uint32_t>(out.places[kB].size())));
        if (same[i]) {
            out.places[kB][*same[i]] = sides[kB].places[i];
            continue;
        }
        out.places[kA].push_back(std::nullopt);
        out.places[kB].push_back(sides[kB].places[i]);
    }
    for (std::vector<uint32_t>& numbers : sides[kB].numbers)
        for (uint32_t& number : numbers) number = numbers_of_b[number];
    for (const Side side : {kA, kB}) {
        for (size_t run = 0; run < given[side].size(); ++run)
            out.runs[side].push_back(renumbered(given[side][run].profile, sides[side].numbers[run], out.size()));
        out.total[side] = model::merge(out.runs[side]);
    }
    return out;
}

}  // namespace fnprof::compare
