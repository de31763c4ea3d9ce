#!/bin/sh
# SPDX-License-Identifier: MIT
# planted.sh LIBRARY CHECK_CARTESIANS: every fault that --plant puts into a result is caught: exit
# status not 0, the first differences are told, `passed` is not. Without a fault all of them pass.
set -u
library=$1
check=$2
here=$(dirname "$0")
faults=0
export OMPI_MCA_odls_base_sigkill_timeout=0 # Open MPI waits that long after a status that is not 0
output=$(mktemp)
trap 'rm -f "$output"' EXIT

fail() {
    echo "FAILED: $1"
    sed 's/^/    /' "$output"
    faults=$((faults + 1))
}

# planted FAULT RANKS FUNCTION PATTERN: PATTERN is what a line of the output must match.
planted() {
    if "$here/../mpirun.sh" "$library" "$2" "$check" -f "$3" -d 2 -n 3 -m 4 --seed 5 --plant "$1" \
        >"$output" 2>&1; then
        fail "$1 in $3 on $2 ranks: exit status 0"
    elif grep -q '^passed' "$output"; then
        fail "$1 in $3 on $2 ranks: passed"
    elif ! grep -Eq "$4" "$output"; then
        fail "$1 in $3 on $2 ranks: no line like $4"
    else
        echo "caught: $1 in $3 on $2 ranks: $(grep -E "$4" "$output" | head -n 1)"
    fi
}

for function in Isend_Irecv_alltoallw Cart_neighbor_alltoall Cart_neighbor_alltoallv \
    Cart_neighbor_allgatherw; do
    for ranks in 1 3; do
        last=$((ranks - 1))
        planted corrupt $ranks $function "rank $last block 8 element [0-9]+: got [-0-9]+, expected [0-9]+/[0-9]+/[0-9]+"
        planted missing $ranks $function "rank $last block 8 element [0-9]+: got the sentinel, expected"
        planted guard $ranks $function "rank $last outside of all blocks, byte [0-9]+: got 0, expected the sentinel"
        planted stale $ranks $function "rank $last block [0-9]+ element [0-9]+: got"
        planted send $ranks $function "send buffer changed, rank $last"
    done
done
for function in Isend_Irecv_alltoallw Cart_neighbor_alltoall Cart_neighbor_alltoallv; do
    planted swap 1 $function "rank 0 block [0-9] element [0-9]+: got 0/[0-9]/0, expected 0/[0-9]/0"
done
for function in Isend_Irecv_alltoallw Cart_neighbor_alltoall Cart_neighbor_allgatherw; do
    planted swap 3 $function "rank 2 block [0-9] element [0-9]+: got [0-9]/[0-9]/0, expected [0-9]/[0-9]/0"
done
for function in Isend_Irecv_alltoallw Cart_neighbor_alltoallv Cart_neighbor_allgatherv; do
    planted gap 3 $function "rank 2 outside of all blocks, byte [0-9]+"
done

if ! "$here/../mpirun.sh" "$library" 3 "$check" -f '*Isend_Irecv_*,Cart_neighbor_*' -d 2 -n 3 -m 4 \
    --seed 5 >"$output" 2>&1 || ! grep -q '^passed$' "$output"; then
    fail "without a fault"
fi
echo "$faults faults were not caught"
[ $faults -eq 0 ]
