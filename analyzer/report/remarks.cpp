#include "report/remarks.h"

#include "report/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

namespace fnprof::report {
namespace {

constexpr size_t kTracesNamed = 3;
constexpr std::string_view kSeparator = ": ";

// The trace that a remark begins with; empty: none.
std::string_view trace_of(std::string_view remark, const std::set<std::string_view>& traces) {
    for (size_t end = remark.find(kSeparator); end != std::string_view::npos; end = remark.find(kSeparator, end + 1))
        if (traces.contains(remark.substr(0, end))) return remark.substr(0, end);
    return {};
}

std::string named(const std::vector<std::string_view>& traces) {
    std::string text;
    for (size_t i = 0; i < std::min(kTracesNamed, traces.size()); ++i)
        text += fmt::format("{}{}", i == 0 ? "" : ", ", traces[i]);
    if (traces.size() > kTracesNamed) text += fmt::format(" and {} more traces", traces.size() - kTracesNamed);
    return text;
}

}  // namespace

std::vector<std::string> grouped_remarks(const model::Profile& profile) {
    std::set<std::string_view> traces;
    for (const model::Process& process : profile.processes) traces.insert(process.trace);

    struct Group {
        std::string_view text;
        std::vector<std::string_view> traces;
    };
    std::vector<Group> groups;  // in order of their first remarks
    std::map<std::string_view, size_t> places;
    for (const std::string& remark : profile.integrity.remarks) {
        const std::string_view trace = trace_of(remark, traces);
        const std::string_view text =
            trace.empty() ? std::string_view(remark) : std::string_view(remark).substr(trace.size() + kSeparator.size());
        const auto [place, fresh] = places.try_emplace(text, groups.size());
        if (fresh) groups.push_back({text, {}});
        if (!trace.empty()) groups[place->second].traces.push_back(trace);
    }
    std::vector<std::string> out;
    for (const Group& group : groups)
        out.push_back(printable(group.traces.empty() ? std::string(group.text)
                                                     : fmt::format("{}{}{}", named(group.traces), kSeparator, group.text)));
    return out;
}

}  // namespace fnprof::report
