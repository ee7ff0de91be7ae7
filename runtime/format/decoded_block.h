// What decoding a record block gives: its records, or a reason.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace fnprof::format {

// A pair of the block: a function and the place that it was called from. For kinds other than enter and exit, the raw fields of
// the record. Almost always distinct; nobody may rely on it.
struct Symbol {
    uint64_t function;
    uint64_t call_site;
};

struct Event {
    uint64_t time_word;
    uint32_t symbol;  // index into DecodedBlock::symbols
    uint32_t stack;   // stack pointer in 16-byte units
};
static_assert(sizeof(Event) == 16);

struct DecodedBlock {
    std::vector<Symbol> symbols;
    std::vector<Event> events;
};

enum class DecodeError : uint8_t {
    kNone,
    kNoDirectory,     // shorter than the directory
    kTooManyRecords,  // record or pair count beyond what a block can hold
    kBadClockStep,    // step below one tick
    kColumnSizes,     // the columns do not make up the payload, or have the wrong length for the record count
    kColumnEnd,       // a column ends in the middle of what is read from it
    kColumnRest,      // a column holds more than the records need
    kBadVarint,       // longer than 64 bits
    kBadSymbol,       // enter of a symbol that is not defined
    kBadPair,         // reference to a pair that is not defined, or a pair count that is not met
    kBadOperation,    // unknown operation in the escape column
    kBadPop,          // exit of an entry that the stack does not hold
};

struct DecodeStatus {
    DecodeError error = DecodeError::kNone;
    size_t offset = 0;  // in the payload, of what could not be used
    explicit operator bool() const { return error == DecodeError::kNone; }
};

inline const char* to_string(DecodeError error) {
    switch (error) {
        case DecodeError::kNone: return "no error";
        case DecodeError::kNoDirectory: return "payload shorter than its directory";
        case DecodeError::kTooManyRecords: return "more records than a block can hold";
        case DecodeError::kBadClockStep: return "clock step below one tick";
        case DecodeError::kColumnSizes: return "column sizes do not fit";
        case DecodeError::kColumnEnd: return "column too short";
        case DecodeError::kColumnRest: return "column too long";
        case DecodeError::kBadVarint: return "number longer than 64 bits";
        case DecodeError::kBadSymbol: return "undefined symbol";
        case DecodeError::kBadPair: return "undefined function";
        case DecodeError::kBadOperation: return "unknown operation";
        case DecodeError::kBadPop: return "exit below the prediction stack";
    }
    return "unknown error";
}

}  // namespace fnprof::format
