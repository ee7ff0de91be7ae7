#include "symbol/demangle.h"

#include "symbol/demangle_helper.h"

#include <cxxabi.h>

#include <array>
#include <cstdlib>
#include <memory>

namespace fnprof::symbol {
namespace {

// Suffixes that compilers append to the names of clones and parts of functions. Other dots belong to the name: Go and D
// have them.
constexpr std::array<std::string_view, 12> kCloneSuffixes{".constprop", ".isra",     ".part",       ".cold",
                                                          ".llvm",      ".lto_priv", ".localalias", ".arch_",
                                                          ".default",   ".resolver", ".avx",        ".sse"};

// `name` with ".constprop.0.cold" turned into " [clone .constprop.0.cold]".
std::string with_clone_mark(std::string_view name) {
    for (size_t dot = name.find('.', 1); dot != std::string_view::npos; dot = name.find('.', dot + 1))
        for (const std::string_view suffix : kCloneSuffixes)
            if (name.substr(dot).starts_with(suffix))
                return std::string(name.substr(0, dot)) + " [clone " + std::string(name.substr(dot)) + "]";
    return std::string(name);
}

// At most kDemangledLimit bytes, not ending in the middle of a code point.
std::string limited(std::string_view text) {
    if (text.size() <= kDemangledLimit) return std::string(text);
    size_t end = kDemangledLimit;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;
    return std::string(text.substr(0, end)) + "...";
}

// Names refer back to their own parts, S1_ and T_, and each reference can at most double what was expanded before it.
constexpr size_t kHarmlessReferences = 12;

size_t references(std::string_view mangled) {
    size_t count = 0;
    for (size_t i = 0; i + 1 < mangled.size(); ++i) {
        const char next = mangled[i + 1];
        const bool number = next == '_' || (next >= '0' && next <= '9') || (next >= 'A' && next <= 'Z');
        count += (mangled[i] == 'S' || mangled[i] == 'T') && number;
    }
    return count;
}

}  // namespace

std::string demangle(std::string_view mangled) {
    // Only names of functions: without the check "i" would be "int".
    if (!mangled.starts_with("_Z")) return limited(with_clone_mark(mangled));
    if (references(mangled) <= kHarmlessReferences) return demangle_here(mangled);
    static DemangleHelper helper;
    return helper.demangle(mangled);
}

std::string demangle_here(std::string_view mangled) {
    int status = 0;
    const std::unique_ptr<char, decltype(&std::free)> text(
        abi::__cxa_demangle(std::string(mangled).c_str(), nullptr, nullptr, &status), &std::free);
    return limited(text == nullptr ? mangled : std::string_view(text.get()));
}

}  // namespace fnprof::symbol
