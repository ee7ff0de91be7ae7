// The calling-context tree while it grows: one node a distinct call path, with the only sums that the events have to keep. Everything else
// follows from the tree at the end, see statistics.h.
//
// Children are found through one open hash table for the whole tree. Asking the parent first which child it called last looks cheaper
// and is not: where programs are not simple loops that guess is a mispredicted branch, dearer than the look-up (measured at 17,000
// paths: 14 ns an event with it, 11 without). The table is at most a quarter full, so that the first probe nearly always hits.
//
// With tens of thousands of paths each node is a cache miss, so a node is one cache line, and what is rare (calls without an end,
// calls of more than 4 s) is kept beside.
//
// Node 0 is the root: no function, no time.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "model/profile.h"

namespace fnprof::model {

class PathTree {
  public:
    static constexpr PathId kRoot = 0;
    static constexpr uint32_t kLong = 0xffffffff;  // a duration that does not fit into a node

    struct alignas(64) Node {
        uint64_t self_ns = 0;
        uint64_t ncalls = 0;
        FunctionId function = kNone;
        PathId parent = kNone;  // Invariant: smaller than the node's own id
        // Of durations (durations.h), whose number is that of the calls but for those without one.
        uint64_t sum_ns = 0;
        Squares sum_of_squares = 0;
        uint32_t least_ns = kLong;
        uint32_t most_ns = 0;
        uint32_t edge = kNone;  // the sink's
    };
    static_assert(sizeof(Node) == 64);

    PathTree() : nodes_(1), slots_(kFirstSlots, kRoot) {}

    // The path of a call of `function` from `parent`; new paths start with no calls.
    PathId child(PathId parent, FunctionId function) {
        const PathId path = slots_[hash(parent, function) & (slots_.size() - 1)];
        const Node& node = nodes_[path];
        if (node.function == function && node.parent == parent) [[likely]] return path;
        return find_or_add(parent, function);
    }

    // A path that child() does not find.
    PathId add(PathId parent, FunctionId function);

    void add_duration(PathId path, uint64_t ns) {
        Node& node = nodes_[path];
        node.sum_ns += ns;
        node.sum_of_squares += static_cast<Squares>(ns) * ns;
        if (ns >= kLong) [[unlikely]] return add_long(path, ns);
        node.least_ns = std::min(node.least_ns, static_cast<uint32_t>(ns));
        node.most_ns = std::max(node.most_ns, static_cast<uint32_t>(ns));
    }
    // A call that was entered has no duration.
    void lacks_duration(PathId path) { ++without_duration_[path]; }
    Durations durations(PathId path) const;

    Node& operator[](PathId path) { return nodes_[path]; }
    const Node& operator[](PathId path) const { return nodes_[path]; }
    std::span<const Node> nodes() const { return nodes_; }

  private:
    struct Long {
        uint64_t least_ns;
        uint64_t most_ns;
    };

    static constexpr size_t kFirstSlots = 1024;
    static constexpr size_t kSlotsPerNode = 4;

    static size_t hash(PathId parent, FunctionId function) {
        const uint64_t key = static_cast<uint64_t>(parent) << 32 | function;
        return static_cast<size_t>((key * 0x9e3779b97f4a7c15u) >> 32);
    }
    PathId find_or_add(PathId parent, FunctionId function);
    void grow();
    void add_long(PathId path, uint64_t ns);

    std::vector<Node> nodes_;
    std::unordered_map<PathId, Long> long_;
    std::unordered_map<PathId, uint64_t> without_duration_;
    std::vector<PathId> slots_;  // kRoot: empty. Size a power of two
};

}  // namespace fnprof::model
