#!/bin/sh
# SPDX-License-Identifier: MIT
# reports.sh LIBRARY LUA HALO3D DDTBENCH: the two reports run with one library's programs, and again from what they left.
# No time is judged.
set -u
library=$1
lua=$2
halo3d=$3
ddtbench=$4
here=$(dirname "$0")
# shellcheck source=tests/script.sh
. "$here/../script.sh"

# report NAME PROGRAM ARGUMENT...
report() {
    name=$1
    program=$2
    shift 2
    "$lua" "bench/$name/report" --openmpi '' --mpich '' "--$library" "$program" "--$library-run" "$MPIEXEC" --quick \
        --out "$work/$name" "$@" >"$work/out" 2>"$work/err" || fail "$name $*: exit status"
    cat "$work/err" "$work/out"
}

# has PATTERN FILE
has() { grep -q -e "$1" "$work/$2" || fail "no '$1' in $2"; }

report halo3d "$halo3d" --cells 2,4
has '^| Cart_halo | ' halo3d/halo3d.md
has '^| Packed_Isend_Irecv_halo:dimensionwise | ' halo3d/halo3d.md
has "^$library,2,1,4,Cart_halo,right,[a-z]*/[0-9]*,5,[0-9.]*," halo3d/halo3d.csv

report ddtbench "$ddtbench"
has '^| hot | [0-9.]* | 1.4 | ' ddtbench/ddtbench.md
has '^| dram | ' ddtbench/ddtbench.md
has '^| FFT2 | 256 | ' ddtbench/ddtbench.md
has "^$library,1,NAS_LU_x,12,[0-9]*,l3,unpack,cartgen,ns,1,[0-9.]*," ddtbench/ddtbench.csv
has "^$library,1,LAMMPS_atomic,114,[0-9]*,pingpong,round,mpi_ddt,us,4,[0-9.]*," ddtbench/ddtbench.csv

for name in halo3d ddtbench; do
    for kind in md csv; do mv "$work/$name/$name.$kind" "$work/$kind"; done
    report $name none --again
    for kind in md csv; do
        cmp "$work/$kind" "$work/$name/$name.$kind" || fail "$name.$kind is another one --again"
    done
done

echo "$faults faults"
[ $faults -eq 0 ]
