// Run-time addresses -> functions, with the modules as they were loaded at the time.
//
// The address space is cut into pieces that always belonged to the same loads of modules. In most pieces there is one load, and an
// address there has one answer for ever, kept in a table. Where one module followed another at the same address (dlclose, dlopen),
// the record's time decides.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "format/decoder.h"
#include "model/profile.h"
#include "model/stack_region.h"
#include "trace/metadata.h"

namespace fnprof::model {

class AddressMap {
  public:
    // The metadata has to outlive the map.
    explicit AddressMap(const trace::Metadata& metadata);

    // The function that begins at `address`; numbered from 0 in the order of asking.
    FunctionId function(uint64_t address, uint64_t ticks);

    // The known function whose code the call instruction that returns to `call_site` lies in; kNone if there is none. Only
    // functions that were asked for are known: a caller that matters has been entered before.
    FunctionId function_around(uint64_t call_site, uint64_t ticks);

    // An enter's or exit's symbol.
    CallSymbol resolve(const format::Symbol& symbol, uint64_t ticks);

    // Whether that depends on the time.
    bool is_reused(const format::Symbol& symbol) const;

    // A function known from another process; `module` is null if it is in none.
    FunctionId adopt(const Function& function, const Module* module);

    size_t function_count() const { return functions_.size(); }

    // Modules that functions were found in, and the functions by number.
    void fill(Profile& profile) const;

  private:
    // From `start` to the next piece.
    struct Piece {
        uint64_t start;
        std::vector<uint32_t> loads;  // into metadata's modules, by load time
    };
    struct Known {
        uint64_t end;  // one past the code
        FunctionId function;
    };
    struct Answer {
        FunctionId function;
        size_t functions_then;  // an answer of "none" holds while no function was added
    };
    // Addresses are spread over a few megabytes, aligned to 16 at most: any table of them wants its bits mixed.
    struct AddressHash {
        size_t operator()(uint64_t address) const { return static_cast<size_t>(address * 0x9e3779b97f4a7c15 >> 24); }
    };

    const Piece& piece_of(uint64_t address) const;
    bool is_reused(uint64_t address) const { return piece_of(address).loads.size() > 1; }
    uint32_t load_of(const Piece& piece, uint64_t ticks) const;
    FunctionId number(uint32_t module, uint64_t offset);
    Function describe(uint32_t module, uint64_t offset, FunctionId id);

    const trace::Metadata& metadata_;
    std::vector<Piece> pieces_;             // ascending, the first starts at 0
    bool any_reused_ = false;
    std::map<std::pair<std::string, std::vector<uint8_t>>, uint32_t> modules_;  // path and build-id -> number
    std::vector<uint32_t> module_of_load_;                                      // the same for loads of the same file
    std::vector<Function> functions_;                                           // module: number in modules_
    std::map<std::pair<uint32_t, uint64_t>, FunctionId> numbers_;  // by module, offset
    std::vector<std::map<uint64_t, Known>> extents_;               // by module: offset -> code
    std::unordered_map<uint64_t, FunctionId, AddressHash> function_cache_;
    std::unordered_map<uint64_t, Answer, AddressHash> site_cache_;
};

}  // namespace fnprof::model
