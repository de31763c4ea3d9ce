#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# run.sh WORK COUNT RANKS...: random halos from a seed (CARTGEN_SEED, or the clock), generated, compiled and run on each
# number of ranks. Environment: LUA, CC, CFLAGS, RUNTIME (its libraries), MPI (the library's name), MPIEXEC.
set -euo pipefail

root=$(cd "$(dirname "$0")/../.." && pwd)
work=$1 count=$2
shift 2
seed=${CARTGEN_SEED:-$(($(date +%s) % 1000000))}
echo "[halo: CARTGEN_SEED=$seed]"
mkdir -p "$work"
"$LUA" "$root/tests/halo/random.lua" "$seed" "$count" "$work"
(cd "$work" && "$LUA" "$root/gen/cartgen.lua" -o cases.c --header cases.h cases.lua)
read -ra flags <<<"$CFLAGS"
read -ra libraries <<<"$RUNTIME"
"$CC" "${flags[@]}" -I "$work" -I "$root/tests" -I "$root/tests/mpi" -I "$root/runtime/include" \
    "$root/tests/halo/halo.c" "$work/cases.c" "${libraries[@]}" -o "$work/halo"
for ranks in "$@"; do
    echo "$ranks ranks"
    "$root/tests/mpirun.sh" "$MPI" "$ranks" "$work/halo" "$seed"
done
