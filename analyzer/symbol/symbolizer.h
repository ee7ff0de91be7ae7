// Where a function stands in the source: (module, build-id, address) -> name, file, line, through the module's symbol
// table and debug information, wherever they are found (see debug_file.h). Modules are opened at the first question and
// indexed one compilation unit at a time. Not thread-safe.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fnprof::symbol {

struct Symbol {
    std::string mangled;  // as the trace or the symbol table has it; empty: not known
    std::string file;     // of the function's declaration, absolute; empty: not known
    uint32_t line = 0;    // 0: not known
};

// What is active in a function.
struct SourceLine {
    std::string function;  // linkage name; empty: not known
    std::string file;      // absolute; empty: not known
    uint32_t line = 0;
};

struct SourceLines {
    std::string file;
    uint32_t first = 0;
    uint32_t last = 0;
};

class Symbolizer {
  public:
    // `debug_dirs`: where to look for debug files beside the usual places, first come first.
    explicit Symbolizer(std::vector<std::string> debug_dirs = {});
    ~Symbolizer();
    Symbolizer(const Symbolizer&) = delete;
    Symbolizer& operator=(const Symbolizer&) = delete;

    // `address` is a symbol-table address of the module; `mangled` the name that the trace knows ("" if none).
    Symbol resolve(const std::string& module_path, std::span<const uint8_t> build_id, uint64_t address,
                   std::string_view mangled);

    // The mangled name of the function at or around `address`, empty if it is not known. No debug information is read for
    // it, and what cannot be found is not remarked upon.
    std::string name_around(const std::string& module_path, std::span<const uint8_t> build_id, uint64_t address);

    // Bytes of the code of the function at `address`, on the same terms; 0: not known.
    uint64_t size_at(const std::string& module_path, std::span<const uint8_t> build_id, uint64_t address);

    // What the instruction at `address` was compiled from: the functions inlined there, innermost first, then the one that they are
    // inlined into.
    std::vector<SourceLine> lines_at(const std::string& module_path, std::span<const uint8_t> build_id, uint64_t address);

    // The lines of the function that begins at `address`, from its declaration to its last one.
    SourceLines lines_of(const std::string& module_path, std::span<const uint8_t> build_id, uint64_t address, std::string_view mangled);

    // False once a function of the module had another name in the trace than in the file: a module without build-id was
    // rebuilt, and what was said of its files and lines is worth nothing.
    bool believed(const std::string& module_path, std::span<const uint8_t> build_id);

    // What kept modules from being resolved, one sentence each, in order of the first question.
    std::vector<std::string> remarks() const;

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace fnprof::symbol
