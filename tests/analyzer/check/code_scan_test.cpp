#include "check/code_scan.h"

#include <doctest/doctest.h>

#include <cstring>
#include <initializer_list>

using namespace fnprof::check;

namespace {

constexpr uint64_t kCode = 0x401000, kSlot = 0x404018;

// Code from kCode on.
class Assembler {
  public:
    uint64_t here() const { return kCode + bytes_.size(); }
    Assembler& raw(std::initializer_list<int> bytes) {
        for (const int byte : bytes) bytes_.push_back(static_cast<uint8_t>(byte));
        return *this;
    }
    Assembler& to(uint64_t destination) { return number<int32_t>(static_cast<int32_t>(destination - (here() + sizeof(int32_t)))); }
    template <class T>
    Assembler& number(T value) {
        bytes_.resize(bytes_.size() + sizeof value);
        std::memcpy(bytes_.data() + bytes_.size() - sizeof value, &value, sizeof value);
        return *this;
    }
    std::vector<CodePiece> pieces() const { return {{kCode, bytes_}}; }

  private:
    std::vector<uint8_t> bytes_;
};

}  // namespace

TEST_CASE("stubs are found with and without the marks of control-flow enforcement") {
    Assembler code;
    code.raw({0x90, 0xff, 0x25}).to(kSlot);
    const uint64_t marked = code.here();
    code.raw({0xf3, 0x0f, 0x1e, 0xfa, 0xff, 0x25}).to(kSlot);
    const uint64_t bound = code.here();
    code.raw({0xf3, 0x0f, 0x1e, 0xfa, 0xf2, 0xff, 0x25}).to(kSlot);
    code.raw({0xff, 0x25}).to(kSlot + 8);
    const std::set<uint64_t> stubs = find_stubs(code.pieces(), {kSlot});
    for (const uint64_t entry : {kCode + 1, marked, marked + 4, bound, bound + 4}) CHECK(stubs.contains(entry));
    for (const uint64_t entry : stubs) CHECK(entry < bound + 11);
    CHECK(find_stubs(code.pieces(), {}).empty());
}

TEST_CASE("calls are found by where they lead") {
    constexpr uint64_t kHook = 0x402000, kTable = 0x404000;
    Assembler code;
    code.raw({0xe8}).to(kHook);
    code.raw({0xe8}).to(kHook + 1);
    const uint64_t through_slot = code.here();
    code.raw({0xff, 0x15}).to(kSlot);
    const uint64_t loaded = code.here();
    code.raw({0x48, 0xb8}).number<uint64_t>(kHook);
    const uint64_t relative = code.here();
    code.raw({0x49, 0xbb}).number<uint64_t>(kHook - kTable);
    code.raw({0xe8, 1, 2});  // cut
    CHECK(find_calls(code.pieces(), {{kHook}, {kSlot}, {kTable}}) == std::vector<uint64_t>{kCode, through_slot, loaded, relative});
    CHECK(find_calls(code.pieces(), {{kHook}, {}, {}}) == std::vector<uint64_t>{kCode, loaded});
    CHECK(find_calls(code.pieces(), {}).empty());
    CHECK(find_calls({}, {{kHook}, {kSlot}, {}}).empty());
}

TEST_CASE("a function that only jumps is told from one that does more") {
    Assembler code;
    code.raw({0xf3, 0x0f, 0x1e, 0xfa, 0xe9}).to(0x402000).raw({0x90});
    const uint64_t slot = code.here();
    code.raw({0xff, 0x25}).to(kSlot);
    const uint64_t padded = code.here();
    code.raw({0xf3, 0x0f, 0x1e, 0xfa, 0x90, 0xe9}).to(0x402000);
    const uint64_t other = code.here();
    code.raw({0x55, 0x48, 0x89, 0xe5, 0xc3, 0x90});
    CHECK(is_jump(code.pieces(), kCode, 0x402000));
    CHECK_FALSE(is_jump(code.pieces(), kCode, 0x402001));
    CHECK(is_jump(code.pieces(), slot, 0x402000));
    CHECK(is_jump(code.pieces(), padded, 0x402000));
    CHECK_FALSE(is_jump(code.pieces(), other, 0x402000));
    CHECK_FALSE(is_jump(code.pieces(), other + 4, 0x402000));
    CHECK_FALSE(is_jump(code.pieces(), 0x500000, 0x402000));
}
