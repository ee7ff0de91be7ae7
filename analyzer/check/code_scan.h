// Calls of a hook in machine code (x86-64), found without a disassembler: by where the four-byte displacements of call and jump
// instructions lead. That one leads to a hook by chance has a probability of 2^-32 a byte.
#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <vector>

namespace fnprof::check {

struct CodePiece {
    uint64_t address = 0;
    std::span<const uint8_t> bytes;
};

// Where code jumps through one of `slots` and does nothing else: entries of procedure linkage tables, the link object's hooks.
std::set<uint64_t> find_stubs(std::span<const CodePiece> code, const std::set<uint64_t>& slots);

// What calls are looked for: of these addresses, directly, or through these slots. In the large code model the compiler loads an address
// as 64 bits, which count from one of `bases` (global offset tables) in position-independent code.
struct CallTargets {
    std::set<uint64_t> entries;
    std::set<uint64_t> slots;
    std::set<uint64_t> bases;
};

// Addresses of the calls.
std::vector<uint64_t> find_calls(std::span<const CodePiece> code, const CallTargets& targets);

// Whether the function at `address` does nothing but jump, to `destination` or through a slot.
bool is_jump(std::span<const CodePiece> code, uint64_t address, uint64_t destination);

}  // namespace fnprof::check
