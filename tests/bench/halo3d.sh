#!/bin/sh
# SPDX-License-Identifier: MIT
# halo3d.sh LIBRARY HALO3D: every function is right on every grid and size that is tried, what is printed has all of them,
# and every fault that --plant puts into the last rank's array is found for every function.
# shellcheck disable=SC2016 # awk's $, not the shell's
set -u
library=$1
halo3d=$2
shift 2
here=$(dirname "$0")
# shellcheck source=tests/script.sh
. "$here/../script.sh"

run 0 1 "$halo3d" --list
functions=$(cat "$work/out")
count=$(echo "$functions" | wc -l)
[ "$count" -ge 10 ] || fail "--list"

# The MPI library's collectives are reported, not held against us.
for ranks in "$@"; do
    run 0 "$ranks" "$halo3d" --summary -n 1-3,6 -r 2 --batch 1 --seed 5 --raw "$work/raw$ranks"
    wrong=$(grep -v '^#' "$work/out" | tr -d ' ' | awk -F';' '
        NR > 1 { n++; ok = $18 == "right" || ($1 ~ /^MPI_/ && $18 == "wrong") || ($1 == "Memcpy_halo" && $18 == "unchecked") }
        NR > 1 && !(ok && $13 > 0) { print }
        END { if (n != 4 * '"$count"') print n " rows" }')
    [ -z "$wrong" ] || fail "$ranks ranks: $wrong"
    [ "$(grep -c '^ *Cart_halo; .*; *6; *296;' "$work/raw$ranks")" -eq 2 ] || fail "$ranks ranks: the raw values of n = 6"
done

ranks=2
last=$((ranks - 1))
for fault in corrupt swap missing interior guard; do
    case $fault in
    corrupt) place="ghost (5, 5, 5): got [0-9.]*, expected" ;;
    swap) place="ghost (0, 1, 1): got [0-9.]*, expected" ;;
    missing) place="ghost (5, 5, 4): got the sentinel, expected" ;;
    interior) place="own cell (1, 1, 1): got [0-9.]*, expected" ;;
    guard) place="outside of the array, byte 1728" ;;
    esac
    run 1 "$ranks" "$halo3d" --summary -n 4 -r 1 --batch 1 --seed 5 --plant "$fault"
    for function in $functions; do
        [ "$function" = Memcpy_halo ] && continue
        grep -q "^$function d=3 n=3 m=4 np=2: data wrong: rank $last $place" "$work/err" ||
            fail "$fault in $function was not found"
    done
    echo "caught: $fault in $((count - 1)) functions"
done

run 2 1 "$halo3d" --plant stale
run 2 1 "$halo3d" -n 0
run 2 1 "$halo3d" -f nonsense
run 2 1 "$halo3d" -m 3
run 0 1 "$halo3d" --help
grep -q -e '--cells' "$work/out" || fail "--help"

echo "$faults faults"
[ $faults -eq 0 ]
