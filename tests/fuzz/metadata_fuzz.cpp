// Any bytes as the payload of two metadata blocks.
#include <cstdint>
#include <cstdlib>

#include "trace/metadata_parser.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    fnprof::trace::Diagnostics diagnostics;
    fnprof::trace::MetadataParser parser(diagnostics);
    parser.add_block({data, size / 2}, 0);
    parser.add_block({data + size / 2, size - size / 2}, 1000);
    const fnprof::trace::Metadata metadata = parser.finish();
    for (size_t i = 1; i < metadata.clock_pairs.size(); ++i) {
        if (metadata.clock_pairs[i].ticks < metadata.clock_pairs[i - 1].ticks) std::abort();
    }
    return 0;
}
