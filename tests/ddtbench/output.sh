#!/bin/sh
# SPDX-License-Identifier: MIT
# output.sh LIBRARY DDTBENCH: what ddtbench prints and how it ends.
# shellcheck disable=SC2016 # awk's $, not the shell's
set -u
library=$1
ddtbench=$2
here=$(dirname "$0")
# shellcheck source=tests/script.sh
. "$here/../script.sh"

# rows CONDITION SEPARATOR FILE: all rows behind the header satisfy awk's condition; there is one.
rows() {
    grep -v '^#' "$work/$3" | tr -d ' ' | awk -F"$2" "
        NR == 1 { next }
        { n++; if (!($1)) { print \"row \" NR \": \" \$0; bad = 1 } }
        END { exit bad || n == 0 }" || fail "rows of $what: not $1"
}

# count NUMBER PATTERN FILE
count() {
    [ "$(grep -c -- "$2" "$work/$3")" -eq "$1" ] || fail "$what: not $1 lines of '$2'"
}

what="raw values"
run 0 2 "$ddtbench" -t NAS_LU_y,SPECFEM3D_mt,FFT2 -s 33,7600,256 --outer 2 --reps 3 --seed 9
grep -v '^#' "$work/out" | head -n 1 | grep -qx 'testname,packMethod,bytes,id,time,papi_evt1_type,papi_evt1_val,papi_evt2_type,papi_evt2_val,size,outer,inner' ||
    fail "header"
rows 'NF == 12 && $5 >= 0 && $11 < 2 && $12 < 3' , out
rows '$1 != "NAS_LU_y" || $3 == 1320 && $10 == 33' , out
for row in NAS_LU_y,manual:22 NAS_LU_y,mpi_ddt:10 NAS_LU_y,mpi_pack_ddt:22 NAS_LU_y,reference:10 \
    SPECFEM3D_mt,manual:16 FFT2,mpi_pack_ddt:22; do
    count "${row#*:}" "^${row%:*}," out
done
count 6 '^NAS_LU_y,manual,1320,unpack,' out
count 0 '^SPECFEM3D_mt,manual,91200,unpack,' out
count 1 '^# seed: 9$' out

what="summary and file"
echo stale >"$work/raw"
run 0 2 "$ddtbench" -t 'WRF_*' -s 8x8 -m manual,mpi_ddt --outer 2 --reps 2 --summary --out "$work/raw"
rows 'NF == 15 && $10 > 0 && $14 > 0 && $15 == "right"' ';' out
rows '$3 == "manual" ? $11 == "1.00" && $12 == $14 && $13 == "" : $12 == "1.00" && $11 == $14' ';' out
count 8 '; right$' out
count 2 '^# .*;.*;' out
count 0 '^stale' raw
rows 'NF == 12' , raw

what="kernels"
run 0 1 "$ddtbench" --kernel-only -t NAS_MG_x -s 34x18x18 --reps 3 --seed 1 --out "$work/raw" --summary
rows 'NF == 12 && $8 > 0 && $9 > 0' ';' out
rows '$4 == "memcpy" ? $7 == "1.00" : $7 == "8.00" || $7 == "16.00" || $7 < 16' ';' out
rows 'NF == 10 && $8 > 0 && $10 > 0' , raw
rows '$5 != "hot" || $10 == 1' , raw
count 27 ',hot,pack,\|,l3,pack,\|,dram,pack,' raw
count 9 ',memcpy,2048,' raw
run 0 1 "$ddtbench" --kernel-only -t NAS_LU_x -s 12 --reps 1 --cache hot -m manual
count 3 '^NAS_LU_x,12,' out

what="list"
run 0 1 "$ddtbench" --list --seed 3
count 69 '^[A-Z][A-Za-z0-9_]* *[0-9x+]* *[0-9]* *[0-9]* *[0-9]*$' out
count 1 '^ *cartgen *\(not offered: \|offered for \)' out
cp "$work/out" "$work/first"
run 0 2 "$ddtbench" --list --seed 3
cmp -s "$work/first" "$work/out" || fail "the same seed gives another list"

what="wrong usage"
for arguments in "-t nonsense" "-s nonsense" "-m nonsense" "-t NAS_LU_x -s 8x8" "--outer 0" "--reps x" \
    "--seed -1" "--plant nonsense" "--plant index -t FFT2" "--nonsense" "-t" "stray" "--cache hot" \
    "--kernel-only"; do
    # shellcheck disable=SC2086
    run 2 2 "$ddtbench" $arguments
    count 1 'error: ' err
    [ ! -s "$work/out" ] || fail "$arguments: something on stdout"
done
run 2 1 "$ddtbench"
count 1 'two processes are needed' err
run 2 3 "$ddtbench" -t FFT2 -s 256
count 1 '3 processes do not divide 256' err
run 2 2 "$ddtbench" --out "$work/nowhere/raw"
run 2 1 "$ddtbench" --kernel-only --outer 3
run 2 1 "$ddtbench" --kernel-only --cache warm
run 2 1 "$ddtbench" --kernel-only -m reference

what="help"
run 0 2 "$ddtbench" --help
for word in --test --size --method --outer --reps --kernel-only --cache --summary --out --seed \
    --plant --list; do
    grep -q -e "$word" "$work/out" || fail "$word is not in --help"
done
count 1 '^usage' out

echo "$faults faults"
[ $faults -eq 0 ]
