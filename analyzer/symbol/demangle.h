// C++ names for people.
#pragma once

#include <string>
#include <string_view>

namespace fnprof::symbol {

// The longest demangled name that is kept; a name of 5 KB can expand to 700 KB. The rest is cut, marked by "...".
constexpr size_t kDemangledLimit = 16384;

// `mangled` itself where it is not a C++ name. What compilers append for clones (foo.constprop.0) becomes
// " [clone .constprop.0]".
std::string demangle(std::string_view mangled);

}  // namespace fnprof::symbol
