// From the command line's traces to what reports are made of.
#pragma once

#include "cli/options.h"
#include "model/profile.h"
#include "report/figures.h"
#include "report/names.h"
#include "report/page.h"

#include <stdexcept>
#include <string>
#include <vector>

namespace fnprof::cli {

struct Loaded {
    model::Profile profile;
    report::Names names;
    std::vector<std::string> notes;  // beside the profile's own remarks
};

// There is no trace to read; the likely causes belong under the message.
class MissingTrace : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

enum class Symbols { kWanted, kNotNeeded };

// Reads, merges and symbolizes. Throws MissingTrace, and what reading throws. Symbols::kNotNeeded spares the search for
// debug information; `names` is empty then.
Loaded load(const Options& options, Symbols symbols = Symbols::kWanted);

// The page for standard output. `loaded` and `figures` must outlive it.
report::Page make_page(const Loaded& loaded, const report::Figures& figures, const Options& options);

}  // namespace fnprof::cli
