// The calling-context tree while it grows: one node a distinct call path, with the only two sums that the events have to keep, time
// and calls. Everything else follows from the tree at the end, see statistics.h.
//
// A node is 32 bytes, two to a cache line. A child is found through the child that its parent called last, else through one open
// hash table for the whole tree. Node 0 is the root: no function, the time of threads outside instrumented functions.
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
        PathId parent = kNone;    // Invariant: smaller than the node's own id
        PathId last_child = kRoot;  // kRoot: none yet; the root's function matches none
    };

    PathTree() : nodes_(1), slots_(kFirstSlots, kRoot) {}

    // The path of a call of `function` from `parent`; new paths start with no calls.
    PathId child(PathId parent, FunctionId function) {
        const PathId recent = nodes_[parent].last_child;
        if (nodes_[recent].function == function) [[likely]] return recent;
        return find_or_add(parent, function);
    }

    Node& operator[](PathId path) { return nodes_[path]; }
    const Node& operator[](PathId path) const { return nodes_[path]; }
    std::span<const Node> nodes() const { return nodes_; }

  private:
    static constexpr size_t kFirstSlots = 1024;

    static size_t hash(PathId parent, FunctionId function) {
        const uint64_t key = static_cast<uint64_t>(parent) << 32 | function;
        return static_cast<size_t>((key * 0x9e3779b97f4a7c15u) >> 32);
    }
    PathId find_or_add(PathId parent, FunctionId function);
    void grow();

    std::vector<Node> nodes_;
    std::vector<PathId> slots_;  // kRoot: empty. Size a power of two, at most half full
};

}  // namespace fnprof::model
