// Time in the unit in which hook costs are taken out. 64 bits hold 106 days of it, which a hundred threads have in one.
#pragma once

namespace fnprof::model {

__extension__ typedef __int128 Picoseconds;

}  // namespace fnprof::model
