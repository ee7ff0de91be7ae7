// Call paths told apart by where their calls come from: what `callers --lines` and `list` need and no other report does.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "model/address_map.h"
#include "model/path_tree.h"
#include "model/profile.h"
#include "model/stack_region.h"

namespace fnprof::model {

// Children of a tree's nodes by function and call site.
class SitedPaths {
  public:
    // The path of a call of `function` from `parent`, made at `site`: any number.
    PathId child(PathTree& tree, PathId parent, FunctionId function, uint32_t site);

  private:
    struct Key {
        PathId parent;
        FunctionId function;
        uint32_t site;
        bool operator==(const Key&) const = default;
    };
    struct Hash {
        size_t operator()(const Key& key) const;
    };

    std::unordered_map<Key, PathId, Hash> paths_;
};

// The call sites of one process while its calls are replayed.
class CallSites {
  public:
    struct Site {
        uint64_t address = 0;  // of the instruction after the call; 0: of no account
        CallSite::Kind kind = CallSite::Kind::kInCaller;
    };

    PathId child(PathTree& tree, const Frame& caller, const CallSymbol& call, uint32_t stack);

    // Of paths, by node; kNone, and nodes beyond the end: not known.
    const std::vector<uint32_t>& of_nodes() const { return of_nodes_; }
    const std::vector<Site>& sites() const { return sites_; }

  private:
    uint32_t number(const Site& site);

    SitedPaths paths_;
    std::vector<Site> sites_;
    std::unordered_map<uint64_t, uint32_t> numbers_;  // address << 2 | kind
    std::vector<uint32_t> of_nodes_;
};

// Fills in the profile's call sites and those of its paths, which it has already.
void fill_call_sites(const CallSites& calls, const AddressMap& addresses, Profile& profile);

}  // namespace fnprof::model
