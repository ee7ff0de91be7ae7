// Questions that only tests ask of the module table.
#pragma once

#include "modules.h"
#include "sys.h"

namespace fnprof::rt {

// The module that held `address` at time `ticks`, after a look at the maps when none is known to. 0: no file.
inline uint32_t module_of(Modules& modules, uint64_t address, uint64_t ticks, uint64_t now_ticks) {
    uint32_t id = 0;
    const auto take = [&](const Module& module) {
        if (module.unload_ticks == 0 || ticks < module.unload_ticks) id = module.id;
    };
    modules.for_each_at(address, ticks, ticks, take);
    if (id != 0) return id;
    modules.before_unload(now_ticks);  // looks at the maps whenever it is called
    modules.for_each_at(address, ticks, ticks, take);
    return id;
}

inline void close_file(Module& module) {
    if (module.fd >= 0) sys::close(module.fd);
    module.fd = -1;
}

}  // namespace fnprof::rt
