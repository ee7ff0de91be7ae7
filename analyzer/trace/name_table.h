// Mangled names of the functions that a trace mentions, by module and symbol-table address.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace fnprof::trace {

struct FunctionName {
    std::string_view mangled;  // lives as long as the table
    uint32_t size = 0;         // bytes of code; 0 unknown
};

class NameTable {
  public:
    // The later of two names for one address counts.
    void add(uint32_t module, uint64_t address, uint32_t size, std::string_view mangled);

    // The name of the function that begins at `address`.
    std::optional<FunctionName> find(uint32_t module, uint64_t address) const;

    // Calls visit(module, address, name) for each, in no order.
    template <class Visit>
    void for_each(Visit visit) const {
        for (const auto& [key, name] : names_) visit(key.module, key.address, name);
    }

    size_t size() const { return names_.size(); }

  private:
    struct Key {
        uint64_t address;
        uint32_t module;
        bool operator==(const Key&) const = default;
    };
    struct KeyHash {
        size_t operator()(const Key& key) const {
            return static_cast<size_t>((key.address ^ uint64_t{key.module} << 48) * 0x9e3779b97f4a7c15 >> 16);  // 2^64 / golden ratio
        }
    };
    std::string_view keep(std::string_view text);

    std::unordered_map<Key, FunctionName, KeyHash> names_;
    std::deque<std::string> pieces_;  // the texts, packed; a piece is never longer than what was reserved for it, so views stay valid
};

}  // namespace fnprof::trace
