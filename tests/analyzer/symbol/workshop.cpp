#include "workshop.h"

#include "symbol/elf_file.h"

#include <doctest/doctest.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>

namespace fnprof::symbol::test {

Workshop::Workshop() {
    std::string pattern = (std::filesystem::temp_directory_path() / "fnprof-symbol-XXXXXX").string();
    REQUIRE(mkdtemp(pattern.data()) != nullptr);
    path_ = pattern;
}

Workshop::~Workshop() {
    std::error_code error;
    std::filesystem::remove_all(path_, error);
}

std::string Workshop::run(const std::string& command) const {
    FILE* pipe = popen(("cd '" + path_.string() + "' && " + command + " 2>&1").c_str(), "r");
    REQUIRE(pipe != nullptr);
    std::string output;
    std::array<char, 4096> buffer;
    for (size_t got = 0; (got = std::fread(buffer.data(), 1, buffer.size(), pipe)) > 0;) output.append(buffer.data(), got);
    const int status = pclose(pipe);
    INFO(command);
    INFO(output);
    REQUIRE(status == 0);
    return output;
}

bool have(const std::string& program) { return std::system(("command -v " + program + " >/dev/null 2>&1").c_str()) == 0; }

std::map<std::string, uint64_t> functions_of(const Workshop& workshop, const std::string& file) {
    std::map<std::string, uint64_t> out;
    std::istringstream lines(workshop.run("nm --defined-only " + file));
    std::string address, kind, name;
    while (lines >> address >> kind >> name)
        if (kind == "T" || kind == "t" || kind == "W" || kind == "w") out[name] = std::stoull(address, nullptr, 16);
    return out;
}

void read_expectations(const std::string& file, std::map<std::string, Expected>& out) {
    std::ifstream in(file);
    REQUIRE(in.good());
    constexpr std::string_view kMark = "// expect: ";
    std::string line;
    for (uint32_t number = 1; std::getline(in, line); ++number)
        if (const size_t at = line.find(kMark); at != std::string::npos)
            out[line.substr(at + kMark.size())] = {file, number};
}

std::vector<uint8_t> build_id_of(const std::string& file) {
    const auto elf = ElfFile::open(file);
    REQUIRE(elf != nullptr);
    return {elf->build_id().begin(), elf->build_id().end()};
}

}  // namespace fnprof::symbol::test
