#include "items.h"

#include <doctest/doctest.h>
#include <sys/utsname.h>
#include <unistd.h>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

using namespace fnprof::rt;
namespace format = fnprof::format;

namespace {

struct Item {
    format::ItemType type;
    std::string payload;
};

// Reads the items back as a reader of the format would.
std::vector<Item> read_items(const ItemWriter& writer) {
    std::vector<Item> items;
    for (size_t at = 0; at < writer.size();) {
        format::ItemHeader header;
        REQUIRE(at + sizeof header <= writer.size());
        std::memcpy(&header, writer.data() + at, sizeof header);
        at += sizeof header;
        REQUIRE(at + header.bytes <= writer.size());
        items.push_back({static_cast<format::ItemType>(header.type),
                         {reinterpret_cast<const char*>(writer.data()) + at, header.bytes}});
        at += header.bytes;
        for (; at % 8 != 0; at++) CHECK(writer.data()[at] == 0);
    }
    return items;
}

class Cursor {
  public:
    explicit Cursor(const std::string& payload, size_t at) : payload_(payload), at_(at) {}
    uint32_t number() {
        uint32_t value;
        REQUIRE(at_ + sizeof value <= payload_.size());
        std::memcpy(&value, payload_.data() + at_, sizeof value);
        at_ += sizeof value;
        return value;
    }
    std::string text() {
        const uint32_t length = number();
        REQUIRE(at_ + length <= payload_.size());
        at_ += length;
        return payload_.substr(at_ - length, length);
    }
    bool at_end() const { return at_ == payload_.size(); }

  private:
    const std::string& payload_;
    size_t at_;
};

}  // namespace

TEST_CASE("items are padded to eight bytes and come back as they were written") {
    ItemWriter writer;
    for (size_t length = 0; length < 20; length++) {
        writer.begin(format::ItemType::kNotice);
        writer.put_string(std::string(length, 'n').c_str());
        writer.finish();
    }
    writer.write(format::ItemType::kHookCost, format::HookCostItem{7000, 15000});
    const std::vector<Item> items = read_items(writer);
    REQUIRE(items.size() == 21);
    for (size_t length = 0; length < 20; length++) {
        Cursor cursor(items[length].payload, 0);
        CHECK(cursor.text() == std::string(length, 'n'));
        CHECK(cursor.at_end());
    }
    CHECK(items[20].type == format::ItemType::kHookCost);
    CHECK(items[20].payload.size() == sizeof(format::HookCostItem));
    CHECK_FALSE(writer.failed());
    writer.reset();
    CHECK(writer.empty());
    writer.release();
}

TEST_CASE("an item larger than the first buffer grows it and keeps what was there") {
    ItemWriter writer;
    writer.write(format::ItemType::kHookCost, format::HookCostItem{1, 2});
    const std::string large(5'000'000, 'L');
    writer.begin(format::ItemType::kNotice);
    writer.put_string(large.data(), large.size());
    writer.finish();
    const std::vector<Item> items = read_items(writer);
    REQUIRE(items.size() == 2);
    Cursor cursor(items[1].payload, 0);
    CHECK(cursor.text() == large);
    writer.release();
}

TEST_CASE("an item that does not fit vanishes and the others stay") {
    ItemWriter writer;
    writer.write(format::ItemType::kHookCost, format::HookCostItem{1, 2});
    writer.begin(format::ItemType::kNotice);
    writer.put(uint32_t{1});
    writer.put_bytes("", size_t{1} << 40);  // refused before it is read
    writer.put(uint32_t{2});
    writer.finish();
    CHECK(writer.failed());
    writer.write(format::ItemType::kHookCost, format::HookCostItem{3, 4});
    const std::vector<Item> items = read_items(writer);
    REQUIRE(items.size() == 2);
    CHECK(items[0].type == format::ItemType::kHookCost);
    CHECK(items[1].type == format::ItemType::kHookCost);
    writer.release();
}

TEST_CASE("the process item tells the program, its directory, host and arguments") {
    format::ProcessItem process{};
    process.pid = 4711;
    ItemWriter writer;
    write_process_item(writer, process, nullptr);
    write_process_item(writer, process, "/where/it/started");
    const std::vector<Item> items = read_items(writer);
    REQUIRE(items.size() == 2);
    CHECK(items[0].type == format::ItemType::kProcess);
    CHECK(std::memcmp(items[0].payload.data(), &process, sizeof process) == 0);

    char text[4096];
    utsname names;
    uname(&names);
    Cursor cursor(items[0].payload, sizeof process);
    const ssize_t n = readlink("/proc/self/exe", text, sizeof text);
    CHECK(cursor.text() == std::string(text, static_cast<size_t>(n)));
    CHECK(cursor.text() == getcwd(text, sizeof text));
    CHECK(cursor.text() == names.nodename);
    std::ifstream in("/proc/self/cmdline", std::ios::binary);
    const std::string command_line{std::istreambuf_iterator<char>(in), {}};
    std::string joined;
    const uint32_t count = cursor.number();
    for (uint32_t i = 0; i < count; i++) joined += cursor.text() + '\0';
    CHECK(joined == command_line);
    CHECK(cursor.at_end());

    Cursor second(items[1].payload, sizeof process);
    second.text();
    CHECK(second.text() == "/where/it/started");
    writer.release();
}
