#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# visits.sh WORK COUNT: random types from a seed (CARTGEN_SEED, or the clock) as blocks of schedules, generated, compiled
# with visits.c and run. Environment: LUA, CC, CFLAGS, RUNTIME (its libraries), MPI (the library's name), MPIEXEC.
set -euo pipefail

root=$(cd "$(dirname "$0")/../.." && pwd)
work=$1 count=$2
seed=${CARTGEN_SEED:-$(($(date +%s) % 100000))}
echo "[visits: CARTGEN_SEED=$seed]"
mkdir -p "$work"
"$LUA" "$root/tests/types/visits.lua" "$seed" "$count" "$work"
(cd "$work" && "$LUA" "$root/gen/cartgen.lua" -o cases.c --header cases.h cases.lua)
read -ra flags <<<"$CFLAGS"
read -ra libraries <<<"$RUNTIME"
"$CC" "${flags[@]}" -I "$work" -I "$root/tests" -I "$root/tests/mpi" -I "$root/runtime/include" -I "$root/runtime/src" \
    "$root/tests/types/visits.c" "$work/cases.c" "${libraries[@]}" -o "$work/visits"
"$root/tests/mpirun.sh" "$MPI" 1 "$work/visits"
