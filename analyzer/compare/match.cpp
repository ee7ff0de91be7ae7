#include "compare/match.h"

#include <array>
#include <string_view>
#include <unordered_map>

#include "model/merge.h"

namespace fnprof::compare {

namespace {

constexpr char kBetween = '\0';

// Empty: the rule says nothing of this function.
using Key = std::string (*)(const Identity& identity);

std::string by_build(const Identity& one) {
    if (one.build_id.empty()) return {};
    return std::string(one.build_id.begin(), one.build_id.end()) + kBetween + std::to_string(one.offset);
}

std::string by_path(const Identity& one) { return one.mangled.empty() ? std::string() : one.module + kBetween + one.mangled; }

std::string by_file_name(const Identity& one) {
    return one.mangled.empty() ? std::string() : model::file_name(one.module) + kBetween + one.mangled;
}

std::string by_source(const Identity& one) {
    return one.mangled.empty() || one.file.empty() ? std::string() : by_file_name(one) + kBetween + model::file_name(one.file);
}

std::string by_name(const Identity& one) { return one.mangled; }

// "f.constprop.0.isra.1" -> "f". Parts of a function (.part.0, .cold) are other functions.
std::string_view without_copy(std::string_view name) {
    constexpr std::array<std::string_view, 4> kCopies{".constprop.", ".isra.", ".lto_priv.", ".llvm."};
    for (bool cut = true; cut;) {
        cut = false;
        const size_t digits = name.find_last_not_of("0123456789") + 1;
        for (const std::string_view copy : kCopies) {
            if (digits == name.size() || digits <= copy.size() || !name.substr(0, digits).ends_with(copy)) continue;
            name.remove_suffix(name.size() - digits + copy.size());
            cut = true;
            break;
        }
    }
    return name;
}

std::string by_original(const Identity& one) {
    return one.mangled.empty() ? std::string() : model::file_name(one.module) + kBetween + std::string(without_copy(one.mangled));
}

constexpr std::array<Key, 6> kRules{by_build, by_path, by_file_name, by_source, by_name, by_original};

constexpr uint32_t kSeveral = 0xffffffff;

std::unordered_map<std::string, uint32_t> bearers(std::span<const Identity> functions, Key key_of) {
    std::unordered_map<std::string, uint32_t> out;
    for (uint32_t i = 0; i < functions.size(); ++i) {
        std::string key = key_of(functions[i]);
        if (key.empty()) continue;
        const auto [entry, added] = out.try_emplace(std::move(key), i);
        if (!added) entry->second = kSeveral;
    }
    return out;
}

}  // namespace

std::vector<std::optional<uint32_t>> match(std::span<const Identity> known, std::span<const Identity> found) {
    std::vector<std::optional<uint32_t>> out(found.size());
    std::vector<bool> taken(known.size());
    for (const Key rule : kRules) {
        const auto known_by = bearers(known, rule);
        for (const auto& [key, i] : bearers(found, rule)) {
            if (i == kSeveral || out[i]) continue;
            const auto same = known_by.find(key);
            if (same == known_by.end() || same->second == kSeveral || taken[same->second]) continue;
            out[i] = same->second;
            taken[same->second] = true;
        }
    }
    return out;
}

}  // namespace fnprof::compare
