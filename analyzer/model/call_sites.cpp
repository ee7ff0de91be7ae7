#include "model/call_sites.h"

#include <map>
#include <string>
#include <utility>

namespace fnprof::model {

namespace {

// What is inlined shares the call site of what it is inlined into. But a function that calls itself from one place has the same call
// site each time, in its own code; and a library may call back from the same place on another stack pointer.
CallSites::Site site_of(const Frame& caller, const CallSymbol& call, uint32_t stack) {
    const bool shared = caller.function != kNone && caller.call_site == call.call_site && caller.function != call.site_function;
    if (shared && (call.site_function != kNone || caller.stack == stack)) return {0, CallSite::Kind::kInlined};
    return {call.call_site, caller.function == kNone || call.site_function == kNone ? CallSite::Kind::kElsewhere : CallSite::Kind::kInCaller};
}

}  // namespace

size_t SitedPaths::Hash::operator()(const Key& key) const {
    const uint64_t mixed = (static_cast<uint64_t>(key.parent) << 32 | key.function) * 0x9e3779b97f4a7c15u ^ key.site * 0xc2b2ae3d27d4eb4fu;
    return static_cast<size_t>(mixed >> 20);
}

PathId SitedPaths::child(PathTree& tree, PathId parent, FunctionId function, uint32_t site) {
    const auto [entry, added] = paths_.try_emplace({parent, function, site}, PathTree::kRoot);
    if (added) entry->second = tree.add(parent, function);
    return entry->second;
}

PathId CallSites::child(PathTree& tree, const Frame& caller, const CallSymbol& call, uint32_t stack) {
    const uint32_t site = number(site_of(caller, call, stack));
    const PathId path = paths_.child(tree, caller.path, call.function, site);
    if (path >= of_nodes_.size()) of_nodes_.resize(size_t{path} + 1, kNone);
    of_nodes_[path] = site;
    return path;
}

uint32_t CallSites::number(const Site& site) {
    const uint64_t key = site.address << 2 | static_cast<uint64_t>(site.kind);
    const auto [entry, added] = numbers_.try_emplace(key, static_cast<uint32_t>(sites_.size()));
    if (added) sites_.push_back(site);
    return entry->second;
}

void fill_call_sites(const CallSites& calls, const AddressMap& addresses, Profile& profile) {
    std::map<std::pair<std::string, std::vector<uint8_t>>, uint32_t> modules;
    for (uint32_t i = 0; i < profile.modules.size(); ++i) modules.emplace(std::pair(profile.modules[i].path, profile.modules[i].build_id), i);
    for (const CallSites::Site& site : calls.sites()) {
        CallSite& place = profile.call_sites.emplace_back(CallSite{.offset = site.address, .kind = site.kind});
        if (site.address == 0) continue;
        // The call may be its function's last instruction.
        const auto found = addresses.only_place(site.address - 1);
        if (!found) continue;
        const auto [module, added] = modules.try_emplace({found->first.path, found->first.build_id}, static_cast<uint32_t>(profile.modules.size()));
        if (added) profile.modules.push_back(found->first);
        place.module = module->second;
        place.offset = found->second + 1;
    }
    for (size_t i = 0; i < profile.paths.size(); ++i) {
        if (i + 1 < calls.of_nodes().size()) profile.paths[i].site = calls.of_nodes()[i + 1];  // path i is node i + 1
    }
}

}  // namespace fnprof::model
