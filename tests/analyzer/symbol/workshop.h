// A temporary directory in which tests compile programs, and what the programs' sources say should be found of them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace fnprof::symbol::test {

class Workshop {
  public:
    Workshop();
    ~Workshop();
    Workshop(const Workshop&) = delete;
    Workshop& operator=(const Workshop&) = delete;

    const std::filesystem::path& path() const { return path_; }
    std::string file(const std::string& name) const { return (path_ / name).string(); }

    // Runs a shell command in the directory; what it prints. Fails the test if the command fails.
    std::string run(const std::string& command) const;

  private:
    std::filesystem::path path_;
};

bool have(const std::string& program);

// Mangled name -> address, as nm prints the defined functions of a file.
std::map<std::string, uint64_t> functions_of(const Workshop& workshop, const std::string& file);

struct Expected {
    std::string file;
    uint32_t line;
};

// Mangled name -> the place of its "expect:" comment in a source file.
void read_expectations(const std::string& file, std::map<std::string, Expected>& out);

std::vector<uint8_t> build_id_of(const std::string& file);

}  // namespace fnprof::symbol::test
