#include "check/code_scan.h"

#include <cstring>

namespace fnprof::check {

namespace {

constexpr uint8_t kEndbr64[] = {0xf3, 0x0f, 0x1e, 0xfa};
constexpr uint8_t kCall = 0xe8, kIndirect = 0xff, kCallSlot = 0x15, kJumpSlot = 0x25, kBnd = 0xf2, kNop = 0x90;

int32_t displacement(const uint8_t* at) {
    int32_t value;
    std::memcpy(&value, at, sizeof value);
    return value;
}

bool follows_endbr(const CodePiece& piece, size_t at) {
    return at >= sizeof kEndbr64 && std::memcmp(piece.bytes.data() + at - sizeof kEndbr64, kEndbr64, sizeof kEndbr64) == 0;
}

// visit(piece, offset, destination) for each instruction of opcode `first` [`second`] and a displacement.
template <class Visit>
void each_transfer(const CodePiece& piece, uint8_t first, int second, Visit visit) {
    const size_t opcode_bytes = second < 0 ? 1 : 2;
    const size_t length = opcode_bytes + sizeof(int32_t);
    const uint8_t* bytes = piece.bytes.data();
    for (size_t at = 0; at + length <= piece.bytes.size(); ++at) {
        const auto* found = static_cast<const uint8_t*>(std::memchr(bytes + at, first, piece.bytes.size() - length + 1 - at));
        if (found == nullptr) return;
        at = static_cast<size_t>(found - bytes);
        if (second >= 0 && bytes[at + 1] != second) continue;
        visit(at, piece.address + at + length + static_cast<uint64_t>(int64_t{displacement(bytes + at + opcode_bytes)}));
    }
}

}  // namespace

std::set<uint64_t> find_stubs(std::span<const CodePiece> code, const std::set<uint64_t>& slots) {
    std::set<uint64_t> stubs;
    if (slots.empty()) return stubs;
    for (const CodePiece& piece : code) {
        each_transfer(piece, kIndirect, kJumpSlot, [&](size_t at, uint64_t destination) {
            if (!slots.contains(destination)) return;
            stubs.insert(piece.address + at);
            if (follows_endbr(piece, at)) stubs.insert(piece.address + at - sizeof kEndbr64);
            if (at == 0 || piece.bytes[at - 1] != kBnd) return;
            stubs.insert(piece.address + at - 1);
            if (follows_endbr(piece, at - 1)) stubs.insert(piece.address + at - 1 - sizeof kEndbr64);
        });
    }
    return stubs;
}

std::vector<uint64_t> find_calls(std::span<const CodePiece> code, const CallTargets& targets) {
    std::vector<uint64_t> calls;
    std::set<uint64_t> loaded = targets.entries;
    for (const uint64_t base : targets.bases)
        for (const auto* wanted : {&targets.entries, &targets.slots})
            for (const uint64_t address : *wanted) loaded.insert(address - base);
    for (const CodePiece& piece : code) {
        const auto note = [&](const std::set<uint64_t>& wanted) {
            return [&](size_t at, uint64_t destination) {
                if (wanted.contains(destination)) calls.push_back(piece.address + at);
            };
        };
        if (!targets.entries.empty()) each_transfer(piece, kCall, -1, note(targets.entries));
        if (!targets.slots.empty()) each_transfer(piece, kIndirect, kCallSlot, note(targets.slots));
        if (loaded.empty()) continue;
        // movabs $imm64, %reg
        for (size_t at = 0; at + 2 + sizeof(uint64_t) <= piece.bytes.size(); ++at) {
            if ((piece.bytes[at] & 0xfe) != 0x48 || (piece.bytes[at + 1] & 0xf8) != 0xb8) continue;
            uint64_t value;
            std::memcpy(&value, piece.bytes.data() + at + 2, sizeof value);
            if (loaded.contains(value)) calls.push_back(piece.address + at);
        }
    }
    return calls;
}

bool is_jump(std::span<const CodePiece> code, uint64_t address, uint64_t destination) {
    for (const CodePiece& piece : code) {
        if (address < piece.address || address - piece.address >= piece.bytes.size()) continue;
        std::span<const uint8_t> bytes = piece.bytes.subspan(static_cast<size_t>(address - piece.address));
        if (bytes.size() > sizeof kEndbr64 && std::memcmp(bytes.data(), kEndbr64, sizeof kEndbr64) == 0) {
            bytes = bytes.subspan(sizeof kEndbr64);
            address += sizeof kEndbr64;
        }
        // mold fills up the space that the shorter jump leaves in front of it.
        while (!bytes.empty() && bytes[0] == kNop) {
            bytes = bytes.subspan(1);
            ++address;
        }
        constexpr uint8_t kJump = 0xe9;
        constexpr size_t kJumpBytes = 5;
        if (bytes.size() < kJumpBytes) return false;
        if (bytes[0] == kIndirect && bytes[1] == kJumpSlot) return true;
        return bytes[0] == kJump && address + kJumpBytes + static_cast<uint64_t>(int64_t{displacement(bytes.data() + 1)}) == destination;
    }
    return false;
}

}  // namespace fnprof::check
