#include "export/pstats.h"

#include "export/marshal.h"

#include <fmt/format.h>

#include <functional>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>

namespace fnprof::exporter {
namespace {

using model::FunctionId;

// pstats' own way to write what is in no file.
constexpr std::string_view kNoFile = "~";

std::string_view base_name(std::string_view path) { return path.substr(path.rfind('/') + 1); }

// Keys that strip_dirs() makes one.
using StrippedKey = std::tuple<std::string, uint32_t, std::string>;

std::map<StrippedKey, std::vector<FunctionId>> alike(const std::vector<PstatsKey>& keys) {
    std::map<StrippedKey, std::vector<FunctionId>> groups;
    for (FunctionId id = 0; id < keys.size(); ++id)
        groups[{std::string(base_name(keys[id].file)), keys[id].line, keys[id].function}].push_back(id);
    std::erase_if(groups, [](const auto& group) { return group.second.size() == 1; });
    return groups;
}

double seconds(uint64_t measured_ns, model::Picoseconds net_ps, bool raw) {
    return raw ? static_cast<double>(measured_ns) / 1e9 : static_cast<double>(net_ps) / 1e12;
}

void put_times(MarshalWriter& out, const model::Cost& cost, bool raw) {
    out.real(seconds(cost.self_ns, cost.self_net_ps(), raw));
    out.real(seconds(cost.cumulative_ns, cost.cumulative_net_ps(), raw));
}

// Each key is written once and then referred to.
class Keys {
  public:
    Keys(MarshalWriter& out, std::vector<PstatsKey> keys) : out_(out), keys_(std::move(keys)), numbers_(keys_.size(), kNotYet) {}

    void put(FunctionId id) {
        if (numbers_[id] != kNotYet) return out_.reference(numbers_[id]);
        numbers_[id] = next_++;
        out_.begin_shared_tuple(3);
        out_.string(keys_[id].file);
        out_.integer(keys_[id].line);
        out_.string(keys_[id].function);
    }

  private:
    static constexpr uint32_t kNotYet = 0xffffffff;

    MarshalWriter& out_;
    std::vector<PstatsKey> keys_;
    std::vector<uint32_t> numbers_;
    uint32_t next_ = 0;
};

}  // namespace

std::vector<PstatsKey> pstats_keys(const Source& source) {
    std::vector<PstatsKey> keys;
    for (const FunctionName& name : source.names) {
        const std::string& place = name.file.empty() ? name.module : name.file;
        keys.push_back({place.empty() ? std::string(kNoFile) : place, name.file.empty() ? 0 : name.line, name.name});
    }
    const std::vector<std::function<std::string(FunctionId)>> marks{
        [&](FunctionId id) { return std::string(base_name(source.names[id].module)); },
        [&](FunctionId id) { return fmt::format("{}+{:#x}", base_name(source.names[id].module), source.profile.functions[id].offset); },
        [](FunctionId id) { return fmt::format("#{}", id); },
    };
    const std::vector<PstatsKey> unmarked = keys;
    for (const auto& mark : marks)
        for (const auto& [key, ids] : alike(keys))
            for (const FunctionId id : ids) keys[id].function = fmt::format("{} [{}]", unmarked[id].function, mark(id));
    return keys;
}

void write_pstats(std::ostream& out, const Source& source) {
    const model::Profile& profile = source.profile;
    std::vector<std::vector<const model::Edge*>> callers(profile.functions.size());
    for (const model::Edge& edge : profile.edges)
        if (edge.callee != model::kNone && edge.caller != model::kNone) callers[edge.callee].push_back(&edge);

    MarshalWriter marshal(out);
    Keys keys(marshal, pstats_keys(source));
    marshal.begin_dict();
    for (FunctionId id = 0; id < profile.functions.size(); ++id) {
        const model::FunctionStats& stats = profile.stats[id];
        keys.put(id);
        marshal.begin_tuple(5);
        marshal.integer(stats.primitive_calls);
        marshal.integer(stats.ncalls);
        put_times(marshal, stats.cost, source.raw);
        marshal.begin_dict();
        for (const model::Edge* edge : callers[id]) {
            keys.put(edge->caller);
            marshal.begin_tuple(4);
            marshal.integer(edge->ncalls);
            marshal.integer(edge->primitive_calls);
            put_times(marshal, edge->cost, source.raw);
        }
        marshal.end_dict();
    }
    marshal.end_dict();
}

}  // namespace fnprof::exporter
