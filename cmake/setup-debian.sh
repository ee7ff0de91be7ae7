#!/usr/bin/env bash
# Installs what fnprof is built from on Debian 12 (and Ubuntu 22.04 or later).
#   cmake/setup-debian.sh                the libraries and tools of the build
#   cmake/setup-debian.sh --tests        and what the tests need: second compilers, linkers and languages
#   cmake/setup-debian.sh --benchmarks   and what the benchmarks need: the peer, and the means to build other programs
set -euo pipefail

build=(
    cmake ninja-build g++ pkg-config python3
    libzstd-dev libboost-dev libboost-program-options-dev libdw-dev libelf-dev libfmt-dev libre2-dev rapidjson-dev libedit-dev
)
tests=(
    gcc-12 g++-12 clang-14 clang llvm-14 binutils lld mold zstd procps util-linux
    doctest-dev nlohmann-json3-dev libboost-context-dev libomp-dev libclang-rt-14-dev libc++-14-dev libc++abi-14-dev
    gobjc-12 gnat-12 gnat gccgo-12
)
more_compilers=(gcc-11 g++-11 clang-19 lld-19 libclang-rt-19-dev)  # tested with where apt has them
benchmarks=(uftrace clang dpkg-dev make tcl libbenchmark-dev time libevent-dev)

packages=("${build[@]}")
optional=()
for argument in "$@"; do
    case $argument in
        --tests) packages+=("${tests[@]}"); optional+=("${more_compilers[@]}") ;;
        --benchmarks) packages+=("${benchmarks[@]}") ;;
        *) sed -n '2,5s/^# \?//p' "$0" >&2; exit 2 ;;
    esac
done

as_root=()
if [ "$(id -u)" -ne 0 ]; then as_root=(sudo); fi
"${as_root[@]}" apt-get update -q=2
for package in "${optional[@]}"; do
    # Not grep -q: it leaves at the first match, apt-cache is killed by SIGPIPE, and pipefail makes that a "no".
    if apt-cache policy "$package" | grep 'Candidate: [0-9]' >/dev/null; then packages+=("$package"); fi
done
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -q=2 --no-install-recommends -y "${packages[@]}"
