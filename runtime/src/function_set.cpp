#include "function_set.h"

namespace fnprof::rt {

// Context: collector, slow path, end, under the metadata lock; signal-safe. The same holds for all of this file.
bool FunctionSet::note(Modules& modules, uint64_t address, uint64_t first_ticks, uint64_t last_ticks, uint64_t now_ticks) {
    if (address == 0) return true;
    bool in_no_file = false;
    if (capacity_ != 0) {
        for (size_t place = first_place(address); places()[place].address != 0; place = next_place(place)) {
            if (places()[place].address != address) continue;
            Module* module = modules.find(places()[place].module);
            if (module == nullptr)
                in_no_file = true;
            else if (module->unload_ticks == 0 && module->load_ticks <= first_ticks)
                return true;
        }
    }
    bool found = false, covered = false, added = true;
    const auto enter = [&](Module& module) {
        found = true;
        covered = covered || module.unload_ticks == 0;
        if (!module.has_functions) modules.keep_file(module);
        added = add(address, module.id) && added;
    };
    modules.for_each_at(address, first_ticks, last_ticks, enter);
    if (!covered && !in_no_file) {
        // Unknown, or known from modules that are gone, whose place another may have taken within the block.
        // Where the maps cannot be read (no descriptor to be had, no /proc), they may be at the function's next block.
        if (!modules.refresh(last_ticks, now_ticks)) return true;
        modules.for_each_at(address, first_ticks, last_ticks, enter);
    }
    if (!found && !in_no_file) added = add(address, 0);
    return added;
}

bool FunctionSet::add(uint64_t address, uint32_t module) {
    if (address == 0) return true;
    if ((count_ + 1) * 4 > capacity_ * 3 && !grow()) return false;
    size_t place = first_place(address);
    for (; places()[place].address != 0; place = next_place(place))
        if (places()[place].address == address && places()[place].module == module) return true;
    places()[place] = {address, module, false};
    count_++;
    return true;
}

SeenFunction* FunctionSet::find(uint64_t address, uint32_t module) {
    if (capacity_ == 0 || address == 0) return nullptr;
    for (size_t place = first_place(address); places()[place].address != 0; place = next_place(place))
        if (places()[place].address == address && places()[place].module == module) return &places()[place];
    return nullptr;
}

bool FunctionSet::grow() {
    GrowingMemory larger;
    const size_t capacity = capacity_ != 0 ? capacity_ * 2 : 4096;
    if (!larger.reserve(capacity * sizeof(SeenFunction))) return false;
    GrowingMemory old = memory_;
    const size_t old_capacity = capacity_;
    memory_ = larger;
    capacity_ = capacity;
    shift_ = 64;
    for (size_t c = capacity; c > 1; c >>= 1) shift_--;
    auto* from = reinterpret_cast<SeenFunction*>(old.data());
    for (size_t i = 0; i < old_capacity; i++) {
        if (from[i].address == 0) continue;
        size_t place = first_place(from[i].address);
        while (places()[place].address != 0) place = next_place(place);
        places()[place] = from[i];
    }
    old.release();
    return true;
}

}  // namespace fnprof::rt
