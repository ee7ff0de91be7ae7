// The calling-context tree while it grows: one node a distinct call path, with the only two sums that the events have to keep, time
// and calls. Everything else follows from the tree at the end, see statistics.h.
//
// Children are found through one open hash table for the whole tree. Asking the parent first which child it called last looks cheaper
// and is not: where programs are not simple loops that guess is a mispredicted branch, dearer than the look-up (measured at 17,000
// paths: 14 ns an event with it, 11 without). The table is at most a quarter full, so that the first probe nearly always hits.
//
// Node 0 is the root: no function, the time of threads outside instrumented functions.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "model/profile.h"

namespace fnprof::model {

class PathTree {
  public:
    static constexpr PathId kRoot = 0;

    struct Node {
        uint64_t self_ns = 0;
        uint64_t ncalls = 0;
        FunctionId function = kNone;
        PathId parent = kNone;  // Invariant: smaller than the node's own id
    };

    PathTree() : nodes_(1), slots_(kFirstSlots, kRoot) {}

    // The path of a call of `function` from `parent`; new paths start with no calls.
    PathId child(PathId parent, FunctionId function) {
        const PathId path = slots_[hash(parent, function) & (slots_.size() - 1)];
        const Node& node = nodes_[path];
        if (node.function == function && node.parent == parent) [[likely]] return path;
        return find_or_add(parent, function);
    }

    Node& operator[](PathId path) { return nodes_[path]; }
    const Node& operator[](PathId path) const { return nodes_[path]; }
    std::span<const Node> nodes() const { return nodes_; }

  private:
    static constexpr size_t kFirstSlots = 1024;
    static constexpr size_t kSlotsPerNode = 4;

    static size_t hash(PathId parent, FunctionId function) {
        const uint64_t key = static_cast<uint64_t>(parent) << 32 | function;
        return static_cast<size_t>((key * 0x9e3779b97f4a7c15u) >> 32);
    }
    PathId find_or_add(PathId parent, FunctionId function);
    void grow();

    std::vector<Node> nodes_;
    std::vector<PathId> slots_;  // kRoot: empty. Size a power of two
};

}  // namespace fnprof::model
