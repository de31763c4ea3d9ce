#!/bin/sh
# SPDX-License-Identifier: MIT
# types.sh LIBRARY CARTGEN-TYPES PRELOADED PROGRAM: the file the tool writes, and its errors.
set -u
library=$1
tool=$2
program=$4
here=$(dirname "$0")
export CARTGEN_TYPES_LIBRARY="$3"
export OMPI_MCA_odls_base_sigkill_timeout=0
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
faults=0

fail() {
    echo "FAILED: $1"
    faults=$((faults + 1))
}

# refused STATUS PATTERN ARGUMENT...: without MPI.
refused() {
    status=$1
    pattern=$2
    shift 2
    "$tool" "$@" >"$folder/output" 2>&1
    got=$?
    [ $got -eq "$status" ] || fail "cartgen-types $*: status $got, expected $status"
    grep -q -- "$pattern" "$folder/output" || fail "cartgen-types $*: no '$pattern'"
}

refused 0 "^usage:" --help
refused 2 "no program" -o "$folder/a.lua"
refused 2 "needs a file" -o
refused 2 "unknown option --nothing" --nothing "$program"
refused 1 "cannot be written" -o "$folder/none/a.lua" "$program"
refused 1 "cannot be written" -o "$folder" "$program"
refused 127 "no_such_program" -o "$folder/a.lua" -- no_such_program
CARTGEN_TYPES_LIBRARY=$folder/none.so
refused 1 "none.so is missing" "$program"
CARTGEN_TYPES_LIBRARY=$3

for ranks in 1 3; do
    rm -f "$folder/types.lua"
    "$here/../mpirun.sh" "$library" $ranks "$tool" -o "$folder/types.lua" "$program" 0 >"$folder/output" 2>&1 ||
        fail "$ranks ranks: the program failed: $(cat "$folder/output")"
    diff "$here/types$ranks.txt" "$folder/types.lua" || fail "$ranks ranks: another file"
done

"$here/../mpirun.sh" "$library" 1 "$tool" -o "$folder/types.lua" "$program" 7 >"$folder/output" 2>&1
got=$?
[ $got -eq 7 ] || fail "the program's exit status 7 became $got"
echo "$faults faults"
[ $faults -eq 0 ]
