// Adding profiles up. Sums of integers, sorted tables: profiles merged in any order, at once or one by one, give the same bytes.
#pragma once

#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "model/call_sites.h"
#include "model/path_tree.h"
#include "model/profile.h"

namespace fnprof::model {

// Functions are the same when module path, build-id and offset are; one that has no name in some profile gets it from another. The
// result is in canonical order: modules by path and build-id; functions by module and offset; edges by caller and callee; paths
// depth first, children by function and call site; processes and threads by what names them; remarks sorted, each once.
class Merger {
  public:
    void add(const Profile& profile);
    Profile finish();

  private:
    using ModuleKey = std::pair<std::string, std::vector<uint8_t>>;
    using FunctionKey = std::pair<uint32_t, uint64_t>;

    std::vector<uint32_t> add_modules(const Profile& profile);
    std::vector<FunctionId> add_functions(const Profile& profile, const std::vector<uint32_t>& modules);
    std::vector<uint32_t> add_call_sites(const Profile& profile, const std::vector<uint32_t>& modules);
    std::vector<PathId> add_paths(const Profile& profile, const std::vector<FunctionId>& functions, const std::vector<uint32_t>& sites);
    void add_slowest(const Profile& profile, const std::vector<FunctionId>& functions, const std::vector<PathId>& paths);
    void add_processes(const Profile& profile, const std::vector<uint32_t>& modules, const std::vector<FunctionId>& functions);

    Profile sum_;  // numbers in order of arrival
    std::map<ModuleKey, uint32_t> modules_;
    std::map<FunctionKey, FunctionId> functions_;
    std::map<std::pair<FunctionId, FunctionId>, Edge> edges_;
    // With the numbers of sum_'s paths and threads. All are kept to the end: which of several equal ones go depends on the final numbers.
    std::map<FunctionId, std::vector<CallInstance>> slowest_;
    PathTree tree_;  // shape only: node i + 1 is sum_.paths[i]
    SitedPaths sited_;
    std::map<std::tuple<uint32_t, uint64_t, CallSite::Kind>, uint32_t> sites_;
};

Profile merge(const std::vector<Profile>& profiles);

// Takes functions of different builds for one where that is sure: the same name in modules of the same file name, in each of these
// builds once, and no process had two of them. Keeps the offset and module of the build that ran last: most likely that one's file is
// still there. What a later merge() adds is not unified with them: unify last.
Profile unify_builds(const Profile& profile);

}  // namespace fnprof::model
