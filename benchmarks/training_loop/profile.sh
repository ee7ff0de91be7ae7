#!/usr/bin/env bash
# The story of the README: builds fnprof, then profiles the training loop as a user would, before and after its cure, and compares three runs
# of each.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
prefix=$top/build/release/stage

log=$top/build/release/profile.log
mkdir -p "$top/build/release"
cd "$top"
{ cmake --preset release && cmake --build --preset release && cmake --install build/release --prefix "$prefix"; } > "$log" 2>&1 || { cat "$log" >&2; exit 1; }

run() { printf '\n$ %s\n' "$*"; "$@"; }

# Sources beside the program, so that the table shows short paths.
mkdir -p build/release/training_loop
cp "$here"/*.cpp "$here"/*.h build/release/training_loop/
cd build/release/training_loop
export LIBRARY_PATH=$prefix/lib LD_LIBRARY_PATH=$prefix/lib PATH=$prefix/bin:$PATH
run g++ -std=c++17 -g -O2 -finstrument-functions -finstrument-functions-exclude-file-list=/usr/include training_loop.cpp dataset.cpp model.cpp -lfnprof -o training_loop
run ./training_loop
run fnprof-analyze trace.zst 12
run ./training_loop --memoize
run fnprof-analyze trace.zst 12

for i in 1 2 3; do
    FNPROF_OUTPUT=before-$i.zst run ./training_loop
    FNPROF_OUTPUT=after-$i.zst run ./training_loop --memoize
done
run fnprof-analyze diff before-1.zst before-2.zst before-3.zst -- after-1.zst after-2.zst after-3.zst 3
