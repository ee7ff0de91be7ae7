// Members of JSON documents on the run: processes, threads, modules, integrity.
#pragma once

#include "model/profile.h"
#include "report/json_writer.h"

namespace fnprof::report {

void process_object(Json& json, const model::Process& process);
void processes_member(Json& json, const model::Profile& profile);
void threads_member(Json& json, const model::Profile& profile, bool activity = false);
void integrity_member(Json& json, const model::Integrity& integrity);

}  // namespace fnprof::report
