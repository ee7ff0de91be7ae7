#include "symbol/symbolizer.h"

#include "symbol/debug_file.h"
#include "symbol/elf_file.h"
#include "symbol/plt.h"
#include "symbol/source_index.h"

#include <fmt/format.h>

#include <array>
#include <map>
#include <optional>

namespace fnprof::symbol {
namespace {

struct Module {
    std::string path;
    ModuleFiles files;
    bool place_wanted = false;  // somebody asked for a file and line
    std::optional<SymbolTable> symbols;
    std::optional<PltSlots> slots;
    std::optional<SourceIndex> sources;

    // Without a build-id names are all that can tell another build.
    void compare(uint64_t address, std::string_view mangled) {
        if (files.fate == Fate::kChanged || files.binary == nullptr || !files.binary->build_id().empty()) return;
        if (!symbols) symbols.emplace(*files.with_symbols());
        if (symbols->contradicts(address, mangled)) files.fate = Fate::kChanged;
    }

    // Moves `address` from a slot to the function behind it.
    std::string name_at(uint64_t& address) {
        const ElfFile* file = files.with_symbols();
        if (file == nullptr) return {};
        if (!symbols) symbols.emplace(*file);
        if (const std::string_view name = symbols->find(address); !name.empty() || files.binary == nullptr)
            return std::string(name);
        if (!slots) slots.emplace(*files.binary);
        const auto target = slots->find(address);
        if (!target) return {};
        if (target->address != 0) address = target->address;
        return target->name.empty() ? std::string(symbols->find(address)) : target->name;
    }

    uint64_t size_at(uint64_t address) {
        const ElfFile* file = files.with_symbols();
        if (file == nullptr) return 0;
        if (!symbols) symbols.emplace(*file);
        return symbols->size_at(address);
    }

    SourceIndex* source_index() {
        place_wanted = true;
        const ElfFile* file = files.with_debug_info();
        if (file != nullptr && !sources) sources.emplace(*file, files.packages);
        return sources ? &*sources : nullptr;
    }

    Place place_of(uint64_t address, std::string_view mangled) {
        SourceIndex* const index = source_index();
        return index == nullptr ? Place() : index->find(address, mangled);
    }
};

constexpr std::array<Fate, 3> kMisfortunes{Fate::kMissing, Fate::kChanged, Fate::kNoDebugInfo};

std::string_view reason(Fate fate) {
    switch (fate) {
        case Fate::kMissing:
            return "the file is not here; give the directory of its debug file with --debug-dir";
        case Fate::kChanged:
            return "the file is not the one that was traced (its build-id or its functions differ); give the directory of "
                   "that one's debug file with --debug-dir";
        case Fate::kNoDebugInfo:
            return "no debug information; compile with -g, or give the directory of the debug file with --debug-dir";
        case Fate::kFound:
            break;
    }
    return "";
}

}  // namespace

struct Symbolizer::State {
    using Key = std::pair<std::string, std::vector<uint8_t>>;

    std::vector<std::string> debug_dirs;
    std::map<Key, size_t> numbers;
    std::vector<std::unique_ptr<Module>> modules;  // in order of the first question

    Module& module(const std::string& path, std::span<const uint8_t> build_id) {
        const auto [place, fresh] = numbers.try_emplace(Key{path, {build_id.begin(), build_id.end()}}, modules.size());
        if (fresh) {
            auto added = std::make_unique<Module>();
            added->path = path;
            added->files = find_module_files(path, build_id, debug_dirs);
            modules.push_back(std::move(added));
        }
        return *modules[place->second];
    }
};

Symbolizer::Symbolizer(std::vector<std::string> debug_dirs) : state_(std::make_unique<State>()) {
    state_->debug_dirs = std::move(debug_dirs);
}

Symbolizer::~Symbolizer() = default;

Symbol Symbolizer::resolve(const std::string& module_path, std::span<const uint8_t> build_id, uint64_t address,
                           std::string_view mangled) {
    Module& module = state_->module(module_path, build_id);
    Symbol symbol{mangled.empty() ? module.name_at(address) : std::string(mangled), {}, 0};
    if (!mangled.empty()) module.compare(address, mangled);
    Place place = module.place_of(address, symbol.mangled);
    symbol.file = std::move(place.file);
    symbol.line = place.line;
    return symbol;
}

std::string Symbolizer::name_around(const std::string& module_path, std::span<const uint8_t> build_id, uint64_t address) {
    return state_->module(module_path, build_id).name_at(address);
}

uint64_t Symbolizer::size_at(const std::string& module_path, std::span<const uint8_t> build_id, uint64_t address) {
    return state_->module(module_path, build_id).size_at(address);
}

std::vector<SourceLine> Symbolizer::lines_at(const std::string& module_path, std::span<const uint8_t> build_id, uint64_t address) {
    SourceIndex* const index = state_->module(module_path, build_id).source_index();
    if (index == nullptr) return {};
    std::vector<SourceLine> lines;
    for (SourceIndex::SourceFrame& frame : index->frames_at(address))
        lines.push_back({std::move(frame.function), std::move(frame.line.file), frame.line.line});
    return lines;
}

SourceLines Symbolizer::lines_of(const std::string& module_path, std::span<const uint8_t> build_id, uint64_t address, std::string_view mangled) {
    SourceIndex* const index = state_->module(module_path, build_id).source_index();
    if (index == nullptr) return {};
    SourceIndex::Extent extent = index->extent(address, mangled);
    return {std::move(extent.file), extent.first, extent.last};
}

bool Symbolizer::believed(const std::string& module_path, std::span<const uint8_t> build_id) {
    return state_->module(module_path, build_id).files.fate != Fate::kChanged;
}

std::vector<std::string> Symbolizer::remarks() const {
    std::vector<std::string> out;
    for (const Fate fate : kMisfortunes) {
        std::string modules;
        for (const auto& module : state_->modules)
            if (module->place_wanted && module->files.fate == fate) modules += (modules.empty() ? "" : ", ") + module->path;
        if (!modules.empty()) out.push_back(fmt::format("no file and line for {}: {}", modules, reason(fate)));
    }
    return out;
}

}  // namespace fnprof::symbol
