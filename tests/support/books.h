// What holds for every profile, whatever the traces were: figures that are counted in different ways agree.
#pragma once

#include <string>

#include "model/profile.h"

namespace fnprof::testing {

// What does not balance, in words; empty when everything does.
std::string imbalance_of(const model::Profile& profile);

// All figures and facts of a profile but what it says of its own integrity, as text: for comparing.
std::string figures_of(const model::Profile& profile);

}  // namespace fnprof::testing
