// Which functions of two builds are the same. Only what is sure; who looks alike is for the reader to judge (report/renames.h).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace fnprof::compare {

// A function as a run of some build knows it.
struct Identity {
    std::string module;             // path of its file; empty: not known
    std::vector<uint8_t> build_id;  // of the module; empty: it has none
    uint64_t offset = 0;            // symbol-table address in the module
    std::string mangled;            // empty: not known
    std::string file;               // of its source; empty: not known
};

// Of each of `found` the position of the same function among `known`, or nothing. No position is there twice. Rules, the first that fits;
// each holds only for functions whose key no other function of their side has:
//   build-id and offset             the same build, whatever its path
//   module path, name
//   module file name, name          builds in different directories
//   module file name, name, source  static functions of one name
//   name                            it moved to another module
//   module file name, name without what the optimizer appends to those of copies (.constprop.0)
std::vector<std::optional<uint32_t>> match(std::span<const Identity> known, std::span<const Identity> found);

}  // namespace fnprof::compare
