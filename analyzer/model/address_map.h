// Run-time addresses -> functions, with the modules as they were loaded at the time.
//
// The address space is cut into pieces that always belonged to the same loads of modules. In most pieces there is one load, and an
// address there has one answer for ever: what calls resolve to is kept in a table. Where one module followed another at the same address (dlclose, dlopen),
// the record's time decides.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "format/decoder.h"
#include "model/call_cache.h"
#include "model/profile.h"
#include "model/stack_region.h"
#include "trace/metadata.h"

namespace fnprof::model {

class AddressMap {
  public:
    // Bytes of a function's code by its module and address in the symbol table, 0 if unknown.
    using SizeAt = std::function<uint64_t(const Module& module, uint64_t address)>;

    // The metadata has to outlive the map. `size_at` is asked about functions whose names are not in it; may be empty.
    explicit AddressMap(const trace::Metadata& metadata, SizeAt size_at = {});

    // The function that begins at `address`; numbered from 0 in the order of asking.
    FunctionId function(uint64_t address, uint64_t ticks);

    // The known function whose code the call instruction that returns to `call_site` lies in; kNone if there is none. Known are the
    // functions that the trace has names for, entered already or not (a caller may have been entered by another thread, whose records come
    // later, or by a record that is lost), and without names none.
    FunctionId function_around(uint64_t call_site, uint64_t ticks);

    // An enter's or exit's symbol.
    CallSymbol resolve(const format::Symbol& symbol, uint64_t ticks);

    // The same if it was resolved before and holds at all times; else `call` stays as it is.
    void recall(const format::Symbol& symbol, CallSymbol& call) const {
        const CallCache::Entry* entry = calls_.find(symbol);
        if (entry == nullptr || is_outdated(*entry)) return;
        call = {entry->call_site, entry->id, entry->site_id, entry->first_at_site};
    }

    // Whether that depends on the time.
    bool is_reused(const format::Symbol& symbol) const;

    // The module that an address lies in, the last one if there were several, and the address in the module's symbol table.
    std::optional<std::pair<Module, uint64_t>> place(uint64_t address) const;

    // The same where it is sure: the address had one module all the time.
    std::optional<std::pair<Module, uint64_t>> only_place(uint64_t address) const {
        return is_reused(address) ? std::nullopt : place(address);
    }

    // A function known from another process; `module` is null if it is in none.
    FunctionId adopt(const Function& function, const Module* module);

    // Modules lie over one another in so many places, or so many loads were seen, that the rest was left out: functions may be in the wrong
    // module, or without a name.
    bool gave_up() const { return gave_up_; }

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
        uint64_t end;         // one past the code
        FunctionId function;  // kNone: not asked for yet
    };

    // A call site in no known function may lie in one that has become known since.
    bool is_outdated(const CallCache::Entry& entry) const {
        return entry.site_id == kNone && entry.functions_then != functions_.size();
    }
    const Piece& piece_of(uint64_t address) const;
    bool is_reused(uint64_t address) const { return piece_of(address).loads.size() > 1; }
    void place_loads();
    void know_extents();
    uint32_t load_of(const Piece& piece, uint64_t ticks) const;
    FunctionId number(uint32_t module, uint64_t offset);
    Function describe(uint32_t module, uint64_t offset, FunctionId id);

    const trace::Metadata& metadata_;
    SizeAt size_at_;
    std::vector<Piece> pieces_;             // ascending, the first starts at 0
    bool any_reused_ = false;
    bool gave_up_ = false;
    size_t name_searches_ = 0;
    std::map<std::pair<std::string, std::vector<uint8_t>>, uint32_t> modules_;  // path and build-id -> number
    std::vector<uint32_t> module_of_load_;                                      // the same for loads of the same file
    std::vector<std::vector<uint32_t>> loads_of_module_;                        // by number
    std::vector<Function> functions_;                                           // module: number in modules_
    std::map<std::pair<uint32_t, uint64_t>, FunctionId> numbers_;  // by module, offset
    std::vector<std::map<uint64_t, Known>> extents_;               // by module: offset -> code
    CallCache calls_;
    std::unordered_map<uint64_t, FunctionId> first_at_site_;  // by call site
};

}  // namespace fnprof::model
