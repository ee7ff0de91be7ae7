#include "report/renames.h"

#include "report/nearest.h"
#include "report/text.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

namespace fnprof::report {
namespace {

using compare::kA;
using compare::kB;
using compare::Side;
using model::FunctionId;

// More pairs than these are not compared by name: builds that have thousands of functions each to themselves are other programs.
constexpr size_t kMostPairs = 250'000;

constexpr size_t kMostLetters = 200;  // of names that are compared

using Place = std::pair<std::string, uint32_t>;

// Callers and callees of a function, those alone that both sides have.
struct Neighbours {
    std::set<FunctionId> callers;
    std::set<FunctionId> callees;
    bool operator==(const Neighbours&) const = default;
    bool any() const { return !callers.empty() || !callees.empty(); }
};

class Search {
  public:
    Search(const compare::Aligned& runs, const Names& names) : runs_(runs), names_(names) {
        for (FunctionId id = 0; id < runs.size(); ++id) {
            if (runs.in(kA, id) && !runs.in(kB, id)) alone_[kA].push_back(id);
            if (runs.in(kB, id) && !runs.in(kA, id)) alone_[kB].push_back(id);
        }
    }

    std::vector<Renaming> run() {
        by_line();
        if (alone_[kA].size() * alone_[kB].size() <= kMostPairs) by_name();
        std::ranges::sort(found_, {}, &Renaming::a);
        return std::move(found_);
    }

  private:
    // Of each place that has one function alone on the side.
    std::map<Place, std::optional<FunctionId>> places(Side side) const {
        std::map<Place, std::optional<FunctionId>> out;
        for (const FunctionId id : alone_[side]) {
            const Name& name = names_[id];
            if (name.file.empty()) continue;
            const auto [entry, added] = out.try_emplace({std::string(base_name(name.file)), name.line}, id);
            if (!added) entry->second.reset();
        }
        return out;
    }

    void take(FunctionId a, FunctionId b, bool same_line) {
        found_.push_back({a, b, same_line});
        std::erase(alone_[kA], a);
        std::erase(alone_[kB], b);
    }

    void by_line() {
        const auto in_b = places(kB);
        for (const auto& [place, a] : places(kA)) {
            const auto b = in_b.find(place);
            if (a && b != in_b.end() && b->second) take(*a, *b->second, true);
        }
    }

    std::map<FunctionId, Neighbours> neighbours(Side side) const {
        std::map<FunctionId, Neighbours> out;
        const std::set<FunctionId> wanted(alone_[side].begin(), alone_[side].end());
        const auto common = [&](FunctionId id) { return id != model::kNone && runs_.in(kA, id) && runs_.in(kB, id); };
        for (const model::Edge& edge : runs_.total[side].edges) {
            if (wanted.contains(edge.callee) && common(edge.caller)) out[edge.callee].callers.insert(edge.caller);
            if (wanted.contains(edge.caller) && common(edge.callee)) out[edge.caller].callees.insert(edge.callee);
        }
        return out;
    }

    std::string word(FunctionId id) const { return qualified_name(names_[id].name).substr(0, kMostLetters); }

    void by_name() {
        const auto of_a = neighbours(kA), of_b = neighbours(kB);
        // The nearest names first, whoever they belong to.
        std::vector<std::pair<size_t, std::pair<FunctionId, FunctionId>>> pairs;
        for (const auto& [a, around_a] : of_a) {
            const std::string word_a = word(a);
            const size_t most = std::max<size_t>(1, word_a.size() / 3);
            for (const auto& [b, around_b] : of_b) {
                if (!around_a.any() || !(around_a == around_b)) continue;
                const size_t distance = edit_distance(word_a, word(b), most);
                if (distance <= most) pairs.push_back({distance, {a, b}});
            }
        }
        std::ranges::sort(pairs);
        std::set<FunctionId> taken;
        for (const auto& [distance, pair] : pairs) {
            if (taken.contains(pair.first) || taken.contains(pair.second)) continue;
            taken.insert({pair.first, pair.second});
            take(pair.first, pair.second, false);
        }
    }

    const compare::Aligned& runs_;
    const Names& names_;
    std::array<std::vector<FunctionId>, 2> alone_;
    std::vector<Renaming> found_;
};

}  // namespace

std::vector<Renaming> probable_renamings(const compare::Aligned& runs, const Names& names) { return Search(runs, names).run(); }

}  // namespace fnprof::report
