// What a trace lacks, in words for the user: one sentence each, beginning with the trace's path. The same sums go into Integrity.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "model/profile.h"
#include "trace/diagnostics.h"

namespace fnprof::model {

// Where the file is damaged, and which chunks it lacks.
void remark_damage(const trace::Diagnostics& found, const std::string& path, std::vector<std::string>& remarks);

// Records that threads lost or left unfinished, and exits that match nothing. `lost_records`: of the whole process, which may be more than
// its threads know of.
void remark_threads(std::span<const Thread> threads, uint64_t lost_records, const std::string& path, std::vector<std::string>& remarks);

}  // namespace fnprof::model
