#!/bin/sh
# SPDX-License-Identifier: MIT
# planted.sh LIBRARY DDTBENCH: every fault that --plant puts into what is received is found in every
# test and method it is put into: exit status 1 and a line that names them. Without a fault all data
# is right.
set -u
library=$1
ddtbench=$2
here=$(dirname "$0")
faults=0
export OMPI_MCA_odls_base_sigkill_timeout=0 # Open MPI waits that long after a status that is not 0
output=$(mktemp)
trap 'rm -f "$output"' EXIT

# A size of each test.
pairs="WRF_y_vec:8x8 WRF_y_sa:8x8 WRF_x_vec:8x8 WRF_x_sa:8x8 MILC_su3_zd:8x8x8x8 NAS_LU_x:33
    NAS_LU_y:33 NAS_MG_x:34x18x18 NAS_MG_y:34x18x18 NAS_MG_z:34x18x18 LAMMPS_full:1662
    LAMMPS_atomic:114 SPECFEM3D_oc:493 SPECFEM3D_cm:1957+245 SPECFEM3D_mt:6200 FFT2:256"
lists="LAMMPS_full:1662 LAMMPS_atomic:114 SPECFEM3D_oc:493 SPECFEM3D_cm:1957+245"

fail() {
    echo "FAILED: $1"
    sed 's/^/    /' "$output" | head -n 40
    faults=$((faults + 1))
}

# run PAIRS ARGUMENT...: output to $output
run() {
    tests=$(for pair in $1; do printf '%s,' "${pair%%:*}"; done)
    sizes=$(for pair in $1; do printf '%s,' "${pair#*:}"; done)
    shift
    "$here/../mpirun.sh" "$library" 2 "$ddtbench" --test "${tests%,}" --size "${sizes%,}" \
        --outer 1 --reps 2 --seed 4 --out /dev/null "$@" >"$output" 2>&1
}

# planted FAULT PAIRS METHOD...: found in each of PAIRS by each METHOD, and in no other.
planted() {
    fault=$1
    list=$2
    shift 2
    run "$list" --plant "$fault"
    status=$?
    [ $status -eq 1 ] || fail "$fault: exit status $status, expected 1"
    found=0
    for pair in $list; do
        for method in "$@"; do
            if grep -q "^ddtbench: ${pair%%:*} ${pair#*:} $method: wrong data, [1-9]" "$output"; then
                found=$((found + 1))
            else
                fail "$fault: not found in $pair by $method"
            fi
        done
    done
    told=$(grep -c '^ddtbench: .*: wrong data' "$output")
    [ "$told" -eq $found ] || fail "$fault: $told lines for $found faults"
    grep -q '^all data right' "$output" && fail "$fault: all data right"
    echo "caught: $fault in $found pairs and methods"
}

for fault in swap shift missing guard gap; do
    planted $fault "$pairs" cartgen manual mpi_ddt mpi_pack_ddt reference
done
planted index "$lists" cartgen manual mpi_ddt mpi_pack_ddt

run "$pairs" || fail "without a fault: exit status not 0"
grep -q '^all data right$' "$output" || fail "without a fault: data not right"
echo "$faults faults were not caught"
[ $faults -eq 0 ]
