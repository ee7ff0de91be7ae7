#include "model/address_map.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

namespace fnprof::model {

namespace {

// Loads by piece, and looks for names: the product of two numbers that come out of a file. A program that loads a plugin a hundred thousand
// times stays below.
constexpr size_t kMaxLoadsOfPieces = size_t{1} << 24;
constexpr size_t kMaxNameSearches = size_t{1} << 28;

}  // namespace

AddressMap::AddressMap(const trace::Metadata& metadata, SizeAt size_at) : metadata_(metadata), size_at_(std::move(size_at)) {
    const std::vector<trace::ModuleLoad>& loads = metadata.modules;
    std::vector<uint64_t> cuts{0};
    for (uint32_t i = 0; i < loads.size(); ++i) {
        const auto [entry, added] =
            modules_.try_emplace({loads[i].path, loads[i].build_id}, static_cast<uint32_t>(modules_.size()));
        module_of_load_.push_back(entry->second);
        loads_of_module_.resize(modules_.size());
        loads_of_module_[entry->second].push_back(i);
        cuts.push_back(loads[i].start);
        cuts.push_back(loads[i].end);
    }
    extents_.resize(modules_.size());
    std::ranges::sort(cuts);
    cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
    for (const uint64_t start : cuts) pieces_.push_back({start, {}});
    place_loads();
    know_extents();
}

void AddressMap::place_loads() {
    const std::vector<trace::ModuleLoad>& loads = metadata_.modules;
    std::vector<uint32_t> by_time(loads.size());
    for (uint32_t i = 0; i < by_time.size(); ++i) by_time[i] = i;
    std::ranges::stable_sort(by_time, {}, [&](uint32_t i) { return loads[i].load_ticks; });
    size_t placed = 0;
    for (const uint32_t i : by_time) {
        for (auto piece = std::ranges::lower_bound(pieces_, loads[i].start, {}, &Piece::start);
             piece != pieces_.end() && piece->start < loads[i].end; ++piece) {
            if (++placed > kMaxLoadsOfPieces) {
                gave_up_ = true;
                return;
            }
            piece->loads.push_back(i);
            any_reused_ |= piece->loads.size() > 1;
        }
    }
}

void AddressMap::know_extents() {
    std::unordered_map<uint32_t, uint32_t> modules;  // by load id
    for (size_t load = 0; load < metadata_.modules.size(); ++load) modules.emplace(metadata_.modules[load].id, module_of_load_[load]);
    metadata_.names.for_each([&](uint32_t load_id, uint64_t offset, const trace::FunctionName& name) {
        const auto module = modules.find(load_id);
        if (module == modules.end() || name.size == 0) return;
        extents_[module->second].try_emplace(offset, Known{offset + name.size, kNone});
    });
}

const AddressMap::Piece& AddressMap::piece_of(uint64_t address) const {
    return *std::prev(std::ranges::upper_bound(pieces_, address, {}, &Piece::start));
}

// The load at that time. Before a load was noticed its code may have run already, and after an unload its last destructors: else the
// next one, else the last one.
uint32_t AddressMap::load_of(const Piece& piece, uint64_t ticks) const {
    if (piece.loads.empty()) return kNone;
    for (const uint32_t load : piece.loads) {
        if (ticks < metadata_.modules[load].unload_ticks) return load;
    }
    return piece.loads.back();
}

bool AddressMap::is_reused(const format::Symbol& symbol) const {
    return any_reused_ && (is_reused(symbol.function) || is_reused(symbol.call_site - 1));
}

FunctionId AddressMap::number(uint32_t module, uint64_t offset) {
    const auto [entry, added] = numbers_.try_emplace({module, offset}, static_cast<FunctionId>(functions_.size()));
    if (added) functions_.push_back(describe(module, offset, entry->second));
    return entry->second;
}

// With the name that the trace has for it: any load of the module may be the one that names were written for.
Function AddressMap::describe(uint32_t module, uint64_t offset, FunctionId id) {
    Function function{module, offset, {}};
    if (module >= loads_of_module_.size()) return function;  // in no module, or adopted
    for (const uint32_t load : loads_of_module_[module]) {
        if (++name_searches_ > kMaxNameSearches) {
            gave_up_ = true;
            break;
        }
        const auto name = metadata_.names.find(metadata_.modules[load].id, offset);
        if (!name) continue;
        function.mangled = name->mangled;
        if (name->size > 0) extents_[module][offset] = {offset + name->size, id};
        return function;
    }
    if (size_at_) {
        const trace::ModuleLoad& load = metadata_.modules[loads_of_module_[module].front()];
        const uint64_t size = size_at_({load.path, load.build_id}, offset);
        if (size > 0) extents_[module][offset] = {offset + size, id};
    }
    return function;
}

std::optional<std::pair<Module, uint64_t>> AddressMap::place(uint64_t address) const {
    const Piece& piece = piece_of(address);
    if (piece.loads.empty()) return std::nullopt;
    const trace::ModuleLoad& load = metadata_.modules[piece.loads.back()];
    return std::pair{Module{load.path, load.build_id}, address - load.bias};
}

FunctionId AddressMap::adopt(const Function& function, const Module* module) {
    if (module == nullptr) return number(kNone, function.offset);
    const auto [entry, added] = modules_.try_emplace({module->path, module->build_id}, static_cast<uint32_t>(modules_.size()));
    extents_.resize(modules_.size());
    const FunctionId id = number(entry->second, function.offset);
    if (functions_[id].mangled.empty()) functions_[id].mangled = function.mangled;
    return id;
}

FunctionId AddressMap::function(uint64_t address, uint64_t ticks) {
    const uint32_t load = load_of(piece_of(address), ticks);
    if (load == kNone) return number(kNone, address);
    return number(module_of_load_[load], address - metadata_.modules[load].bias);
}

FunctionId AddressMap::function_around(uint64_t call_site, uint64_t ticks) {
    // A call may be a function's last instruction.
    const uint64_t address = call_site - 1;
    const uint32_t load = load_of(piece_of(address), ticks);
    if (load == kNone) return kNone;
    const uint64_t offset = address - metadata_.modules[load].bias;
    const std::map<uint64_t, Known>& extents = extents_[module_of_load_[load]];
    const auto after = extents.upper_bound(offset);
    if (after == extents.begin() || offset >= std::prev(after)->second.end) return kNone;
    const auto& [start, known] = *std::prev(after);
    return known.function != kNone ? known.function : number(module_of_load_[load], start);
}

CallSymbol AddressMap::resolve(const format::Symbol& symbol, uint64_t ticks) {
    const CallCache::Entry* known = calls_.find(symbol);
    if (known != nullptr && !is_outdated(*known)) return {symbol.call_site, known->id, known->site_id, known->first_at_site};
    const FunctionId id = function(symbol.function, ticks);
    const FunctionId site = function_around(symbol.call_site, ticks);
    if (symbol.function == 0 || is_reused(symbol)) return {symbol.call_site, id, site};
    const bool first = first_at_site_.try_emplace(symbol.call_site, id).first->second == id;
    calls_.set({symbol.function, symbol.call_site, id, site, static_cast<uint32_t>(functions_.size()), first});
    return {symbol.call_site, id, site, first};
}

void AddressMap::fill(Profile& profile) const {
    profile.functions = functions_;
    std::vector<Module> modules(modules_.size());
    for (const auto& [key, number] : modules_) modules[number] = {key.first, key.second};
    std::vector<uint32_t> used(modules.size(), kNone);
    for (Function& function : profile.functions) {
        if (function.module == kNone) continue;
        uint32_t& module = used[function.module];
        if (module == kNone) {
            module = static_cast<uint32_t>(profile.modules.size());
            profile.modules.push_back(std::move(modules[function.module]));
        }
        function.module = module;
    }
}

}  // namespace fnprof::model
