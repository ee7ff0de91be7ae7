// Metadata blocks, one after the other, into one Metadata.
#pragma once

#include <cstdint>
#include <map>
#include <span>

#include "trace/diagnostics.h"
#include "trace/metadata.h"

namespace fnprof::trace {

class MetadataParser {
  public:
    explicit MetadataParser(Diagnostics& diagnostics) : diagnostics_(diagnostics) {}

    // The payload of the block whose frame begins at `offset`. What does not hold together is told and left out. False: the block
    // begins the trace of another process, and nothing of it was taken.
    bool add_block(std::span<const uint8_t> payload, uint64_t offset);

    Metadata finish();

  private:
    bool is_of_another_process(std::span<const uint8_t> payload) const;
    bool add_item(uint16_t type, std::span<const uint8_t> payload);
    bool add_process(std::span<const uint8_t> payload);
    bool add_module(std::span<const uint8_t> payload);
    bool add_unload(std::span<const uint8_t> payload);
    bool add_names(std::span<const uint8_t> payload);
    bool add_thread(std::span<const uint8_t> payload);
    bool add_notice(std::span<const uint8_t> payload);
    bool add_recovery(std::span<const uint8_t> payload);

    Diagnostics& diagnostics_;
    Metadata metadata_;
    std::map<uint32_t, ThreadFacts> threads_;
    std::map<uint32_t, uint64_t> unloads_;  // module id -> ticks
    uint64_t bytes_ = 0;                    // of all blocks so far
};

}  // namespace fnprof::trace
