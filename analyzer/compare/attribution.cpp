#include "compare/attribution.h"

#include <algorithm>
#include <map>
#include <span>

#include "compare/scaled.h"

namespace fnprof::compare {

namespace {

using model::FunctionId;
using model::PathId;
using model::Picoseconds;
using Paths = std::vector<PathId>;

// One side's tree, in the common unit.
class Tree {
  public:
    Tree(const model::Profile& profile, uint64_t factor, bool raw) : paths_(profile.paths), factor_(factor), raw_(raw) {
        begins_.resize(paths_.size() + 2);
        for (const model::CallPath& path : paths_) ++begins_[path.parent + 2];
        for (size_t i = 1; i < begins_.size(); ++i) begins_[i] += begins_[i - 1];
        children_.resize(paths_.size());
        std::vector<uint32_t> next(begins_.begin(), begins_.end() - 1);
        for (PathId id = 0; id < paths_.size(); ++id) children_[next[paths_[id].parent + 1]++] = id;
    }

    // kNone: the roots.
    std::span<const PathId> children(PathId path) const {
        return std::span(children_).subspan(begins_[path + 1], begins_[path + 2] - begins_[path + 1]);
    }
    FunctionId function(PathId path) const { return paths_[path].function; }
    Picoseconds self(PathId path) const { return factor_ * self_ps(paths_[path].cost, raw_); }
    Picoseconds self(const Paths& paths) const {
        Picoseconds sum = 0;
        for (const PathId path : paths) sum += self(path);
        return sum;
    }
    Picoseconds cumulative(PathId path) const { return factor_ * cumulative_ps(paths_[path].cost, raw_); }
    Picoseconds cumulative(const Paths& paths) const {
        Picoseconds sum = 0;
        for (const PathId path : paths) sum += cumulative(path);
        return sum;
    }
    Picoseconds calls(const Paths& paths) const {
        Picoseconds sum = 0;
        for (const PathId path : paths) sum += factor_ * paths_[path].ncalls;
        return sum;
    }

  private:
    const std::vector<model::CallPath>& paths_;
    Picoseconds factor_;
    bool raw_;
    std::vector<uint32_t> begins_;  // by path + 1, index into children_
    Paths children_;
};

// Paths of one function, on both sides at the same place.
struct Position {
    FunctionId function = model::kNone;
    std::array<Paths, 2> paths;
};

// The functions below a position that both sides know: by function, the paths of each side.
using Below = std::map<FunctionId, std::array<Paths, 2>>;

class Attribution {
  public:
    Attribution(const Aligned& runs, bool raw)
        : runs_(runs),
          trees_{Tree(runs.total[kA], runs.runs[kB].size(), raw), Tree(runs.total[kB], runs.runs[kA].size(), raw)},
          effects_(runs.size()) {}

    std::vector<Effects> run() {
        // The world calls both programs once.
        waiting_.push_back({model::kNone, {Paths{model::kNone}, Paths{model::kNone}}});
        while (!waiting_.empty()) {
            const Position position = std::move(waiting_.back());
            waiting_.pop_back();
            visit(position);
        }
        return std::move(effects_);
    }

  private:
    bool common(FunctionId id) const { return runs_.in(kA, id) && runs_.in(kB, id); }

    void visit(const Position& position) {
        const bool root = position.function == model::kNone;
        calls_a_ = root ? 1 : trees_[kA].calls(position.paths[kA]);
        calls_b_ = root ? 1 : trees_[kB].calls(position.paths[kB]);
        expected_ = 0;
        const Below below = children(position.paths);
        for (const auto& [function, paths] : below) add_child(function, paths);
        if (root) return;
        const Picoseconds at_b_calls = of_a(trees_[kA].cumulative(position.paths[kA]));
        effects_[position.function].own_ps += trees_[kB].self(position.paths[kB]) - (at_b_calls - expected_);
    }

    // What a time of A would be with as many calls of this position as B has.
    Picoseconds of_a(Picoseconds ps) const { return calls_a_ == 0 ? ps : scaled(ps, calls_b_, calls_a_); }

    void add_child(FunctionId function, const std::array<Paths, 2>& paths) {
        Effects& effects = effects_[function];
        const Picoseconds in_a = trees_[kA].cumulative(paths[kA]);
        if (!paths[kA].empty()) {
            const Picoseconds with_parent = of_a(in_a);
            expected_ += with_parent;
            effects.calls_ps -= with_parent;
        }
        if (paths[kA].empty()) {
            effects.calls_ps += trees_[kB].cumulative(paths[kB]);
        } else if (!paths[kB].empty()) {
            const Picoseconds before = trees_[kA].calls(paths[kA]);
            effects.calls_ps += before == 0 ? in_a : scaled(in_a, trees_[kB].calls(paths[kB]), before);
            waiting_.push_back({function, paths});
        }
    }

    Below children(const std::array<Paths, 2>& paths) {
        Below below;
        std::array<Paths, 2> alone;  // children whose function the other side has not
        for (const Side side : {kA, kB}) {
            for (const PathId path : paths[side]) {
                for (const PathId child : trees_[side].children(path)) {
                    const FunctionId function = trees_[side].function(child);
                    common(function) ? below[function][side].push_back(child) : alone[side].push_back(child);
                }
            }
        }
        if (alone[kA].empty() && alone[kB].empty()) return below;
        // Decided by what either side has at all below this position.
        std::array<std::map<PathId, Region>, 2> regions;
        std::array<std::map<FunctionId, bool>, 2> reached;
        for (const auto& [function, of_sides] : below)
            for (const Side side : {kA, kB})
                if (!of_sides[side].empty()) reached[side][function] = true;
        for (const Side side : {kA, kB}) {
            for (const PathId child : alone[side]) {
                const Region& region = regions[side].try_emplace(child, explore(side, child)).first->second;
                for (const PathId path : region.common) reached[side][trees_[side].function(path)] = true;
            }
        }
        for (const Side side : {kA, kB}) {
            for (const auto& [top, region] : regions[side]) {
                const bool goes_on = std::ranges::any_of(region.common, [&](PathId path) {
                    return reached[side == kA ? kB : kA].contains(trees_[side].function(path));
                });
                goes_on ? look_through(side, region, below) : explain_all(side, top);
            }
        }
        return below;
    }

    // A path of a function that one side alone has, those below it, and the first ones further down whose functions both have.
    struct Region {
        Paths alone;
        Paths common;
    };

    Region explore(Side side, PathId top) const {
        Region region;
        region.alone.push_back(top);
        for (size_t i = 0; i < region.alone.size(); ++i) {
            for (const PathId child : trees_[side].children(region.alone[i]))
                (common(trees_[side].function(child)) ? region.common : region.alone).push_back(child);
        }
        return region;
    }

    void look_through(Side side, const Region& region, Below& below) {
        for (const PathId path : region.alone) {
            const Picoseconds self = side == kA ? of_a(trees_[side].self(path)) : trees_[side].self(path);
            effects_[trees_[side].function(path)].own_ps += side == kA ? -self : self;
            if (side == kA) expected_ += self;
        }
        for (const PathId path : region.common) below[trees_[side].function(path)][side].push_back(path);
    }

    void explain_all(Side side, PathId top) {
        const Picoseconds all = side == kA ? of_a(trees_[side].cumulative(top)) : trees_[side].cumulative(top);
        effects_[trees_[side].function(top)].calls_ps += side == kA ? -all : all;
        if (side == kA) expected_ += all;
    }

    const Aligned& runs_;
    std::array<Tree, 2> trees_;
    std::vector<Effects> effects_;
    std::vector<Position> waiting_;
    // Of the position that is visited.
    Picoseconds calls_a_ = 0;
    Picoseconds calls_b_ = 0;
    Picoseconds expected_ = 0;  // of A's time below it, at B's number of its calls: what its children were begun with
};

}  // namespace

std::vector<Effects> attribute(const Aligned& runs, bool raw) { return Attribution(runs, raw).run(); }

}  // namespace fnprof::compare
