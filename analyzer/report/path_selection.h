// What a user has left out of a profile by the functions' names, and how coarsely it is shown: pprof's focus, ignore, hide, show_from and
// granularity. The model does the work (model/select_paths.h); here the patterns are matched, and groups get their names.
#pragma once

#include "model/profile.h"
#include "report/names.h"
#include "report/pattern.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fnprof::report {

struct PathSelection {
    std::optional<Pattern> focus = {};
    std::optional<Pattern> ignore = {};
    std::optional<Pattern> hide = {};
    std::optional<Pattern> show_from = {};
    Granularity by = Granularity::kFunction;

    bool selects() const { return focus || ignore || hide || show_from || by != Granularity::kFunction; }
};

// "file" and so on; nothing: there is no such granularity.
std::optional<Granularity> parse_granularity(std::string_view word);

struct Selected {
    model::Profile profile;
    Names names;
    std::vector<std::string> notes;  // on patterns that match nothing
};

// In that order, each on what the one before has left; patterns are searched in the uncut labels of functions.
Selected select_paths(const model::Profile& profile, const Names& names, const PathStyle& style, const PathSelection& selection);

}  // namespace fnprof::report
