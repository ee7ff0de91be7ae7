// (function, call site) -> what they resolve to: one flat table, so that a block with many symbols costs one cache miss a symbol.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "format/decoder.h"
#include "model/stack_region.h"

namespace fnprof::model {

class CallCache {
  public:
    struct Entry {
        uint64_t function = 0;  // 0: empty; nothing that can be called lies at address 0
        uint64_t call_site = 0;
        FunctionId id = kNone;
        FunctionId site_id = kNone;
        uint32_t functions_then = 0;  // functions known when site_id was found to be none
        bool first_at_site = true;
    };

    CallCache() : entries_(kFirstEntries) {}

    // Adds the entry or replaces it. Its function is not 0.
    void set(const Entry& entry) {
        if ((used_ + 1) * 2 > entries_.size()) grow();
        Entry& slot = probe({entry.function, entry.call_site});
        used_ += slot.function == 0;
        slot = entry;
    }

    // Null if it is not there.
    const Entry* find(const format::Symbol& symbol) const {
        const size_t mask = entries_.size() - 1;
        for (size_t i = first_slot(symbol);; i = (i + 1) & mask) {
            const Entry& entry = entries_[i];
            if (entry.function == 0) return nullptr;
            if (entry.function == symbol.function && entry.call_site == symbol.call_site) return &entry;
        }
    }

  private:
    static constexpr size_t kFirstEntries = 4096;

    size_t first_slot(const format::Symbol& symbol) const {
        const uint64_t key = symbol.function * 0x9e3779b97f4a7c15 ^ symbol.call_site * 0xc2b2ae3d27d4eb4f;
        return static_cast<size_t>(key >> 24) & (entries_.size() - 1);
    }

    Entry& probe(const format::Symbol& symbol) {
        const size_t mask = entries_.size() - 1;
        for (size_t i = first_slot(symbol);; i = (i + 1) & mask) {
            Entry& entry = entries_[i];
            if (entry.function == 0 || (entry.function == symbol.function && entry.call_site == symbol.call_site)) return entry;
        }
    }

    void grow() {
        std::vector<Entry> old(entries_.size() * 2);
        old.swap(entries_);
        for (const Entry& entry : old) {
            if (entry.function != 0) probe({entry.function, entry.call_site}) = entry;
        }
    }

    std::vector<Entry> entries_;  // size a power of two, at most half full
    size_t used_ = 0;
};

}  // namespace fnprof::model
