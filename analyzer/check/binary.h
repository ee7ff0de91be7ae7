// What one ELF file says of itself, as far as tracing is concerned: facts, no opinions.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace fnprof::check {

enum class FileKind { kExecutable, kLibrary, kObject, kOther };

// How a file refers to one hook.
struct HookSymbol {
    bool wanted = false;    // undefined in the dynamic symbol table: the loader binds it
    bool exported = false;  // defined there
    bool defined = false;   // defined in either symbol table
    std::vector<uint64_t> addresses;  // if defined; with the runtime in the file there are two hooks of one name
};

// A function with calls of the enter hook.
struct InstrumentedFunction {
    std::string name;  // mangled
    uint64_t calls = 0;
};

struct Binary {
    std::string path;
    FileKind kind = FileKind::kOther;
    bool x86_64 = false;
    std::string machine;   // in words, where it is another one
    bool dynamic = false;  // has a dynamic section
    bool interpreted = false;  // names a loader: an executable that is not static

    std::string soname;
    std::vector<std::string> needed;
    std::string rpath;    // DT_RPATH
    std::string runpath;  // DT_RUNPATH

    HookSymbol enter;       // __cyg_profile_func_enter
    HookSymbol bare_enter;  // __cyg_profile_func_enter_bare: clang's -finstrument-function-entry-bare
    HookSymbol fnprof_enter;
    bool link_object = false;  // has the note of the object that -lfnprof links in
    std::vector<std::string> unwrapped;  // functions whose calls the runtime should see, defined in this file and not wrapped there

    // Calls of the enter hook in the code, by where they lead.
    uint64_t calls_of_fnprof = 0;  // through the link object
    uint64_t calls_of_wanted = 0;  // of the hook that the loader binds
    uint64_t calls_of_own = 0;     // of a hook defined in this file
    std::vector<InstrumentedFunction> instrumented;  // most calls first; empty without a symbol table
    uint64_t function_count = 0;                     // in the symbol table

    bool lto_object = false;  // an object file of intermediate code
    bool symbol_table = false;
    bool debug_info = false;
    std::vector<std::vector<std::string>> folded;  // names of instrumented functions that have one address

    uint32_t owner = 0, group = 0, mode = 0;
    bool capabilities = false;

    bool is_fnprof() const;  // the runtime's shared library
    bool instrumented_code() const { return enter.wanted || calls_of_fnprof + calls_of_wanted + calls_of_own != 0; }
};

// Throws Unreadable.
Binary read_binary(const std::string& path);

class Unreadable : public std::exception {
  public:
    explicit Unreadable(std::string message) : message_(std::move(message)) {}
    const char* what() const noexcept override { return message_.c_str(); }

  private:
    std::string message_;
};

}  // namespace fnprof::check
