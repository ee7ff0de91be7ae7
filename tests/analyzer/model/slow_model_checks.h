// A profile against the figures of the slow model.
#pragma once

#include <doctest/doctest.h>

#include "slow_model.h"

namespace fnprof::model::test {

inline void check_same(const Profile& profile, const SlowFigures& slow) {
    for (FunctionId id = 0; id < profile.stats.size(); ++id) {
        CAPTURE(id);
        const auto truth = slow.functions.find(id);
        CHECK(figures_of(profile.stats[id]) == (truth == slow.functions.end() ? SlowFigures::Figures() : truth->second));
    }
    CHECK(profile.edges.size() == slow.edges.size());
    for (const Edge& edge : profile.edges) {
        REQUIRE(slow.edges.contains({edge.caller, edge.callee}));
        CHECK(figures_of(edge) == slow.edges.at({edge.caller, edge.callee}));
    }
    CHECK(profile.paths.size() == slow.paths.size());
    for (PathId id = 0; id < profile.paths.size(); ++id) {
        std::vector<FunctionId> functions;
        for (PathId at = id; at != kNone; at = profile.paths[at].parent) functions.insert(functions.begin(), profile.paths[at].function);
        REQUIRE(slow.paths.contains(functions));
        const SlowFigures::Figures& truth = slow.paths.at(functions);
        const CallPath& path = profile.paths[id];
        CHECK(path.ncalls == truth.ncalls);
        CHECK(path.cost.self_ns == truth.self_ns);
        CHECK(path.cost.cumulative_ns == truth.cumulative_ns);
        CHECK(path.durations == truth.durations);
    }
}

}  // namespace fnprof::model::test
