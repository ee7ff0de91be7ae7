#include "trace/name_table.h"

#include <algorithm>

namespace fnprof::trace {

void NameTable::add(uint32_t module, uint64_t address, uint32_t size, std::string_view mangled) {
    names_[{address, module}] = {keep(mangled), size};
}

std::optional<FunctionName> NameTable::find(uint32_t module, uint64_t address) const {
    const auto found = names_.find({address, module});
    if (found == names_.end()) return std::nullopt;
    return found->second;
}

std::string_view NameTable::keep(std::string_view text) {
    constexpr size_t kPieceBytes = 1 << 16;
    if (pieces_.empty() || pieces_.back().capacity() - pieces_.back().size() < text.size()) {
        pieces_.emplace_back().reserve(std::max(kPieceBytes, text.size()));
    }
    std::string& piece = pieces_.back();
    const size_t begin = piece.size();
    piece.append(text);
    return std::string_view(piece).substr(begin);
}

}  // namespace fnprof::trace
