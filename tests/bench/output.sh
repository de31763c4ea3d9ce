#!/bin/sh
# SPDX-License-Identifier: MIT
# output.sh LIBRARY BENCH_CARTESIANS CHECK_CARTESIANS: what the programs print and how they end.
# shellcheck disable=SC2016 # awk's $, not the shell's
set -u
library=$1
bench=$2
check=$3
here=$(dirname "$0")
# shellcheck source=tests/script.sh
. "$here/../script.sh"

# rows CONDITION [FILE]: all rows of the table, blanks removed, satisfy awk's condition; there is one
# at least.
rows() {
    grep -v '^#' "$work/${2:-out}" | tr -d ' ' | awk -F';' -v OFS=';' "
        NR == 1 { next }
        { n++; if (!($1)) { print \"row \" NR \": \" \$0; bad = 1 } }
        END { exit bad || n == 0 }" || fail "rows of $what: not $1"
}

what="the published table"
run 0 2 "$bench" -f TUW_Cart_neighbor_alltoall,MPI_Neighbor_alltoall -d 3 -m 10 -n 3 -r 5
[ "$(grep -v '^#' "$work/out" | head -n 1 | tr -d ' ')" = "func;nrep;np;d;m;em;N;triv;block;time" ] ||
    fail "header"
rows 'NF == 10 && $3 == 2 && $4 == 3 && $5 == 10 && $6 == 270 && $7 == 3 && $8 == 0 && $9 == 0 && $10 > 0'
rows '($1 == "Cart_neighbor_alltoall" || $1 == "MPI_Neighbor_alltoall") && $2 == (NR - 2) % 5'
[ "$(grep -vc '^#' "$work/out")" -eq 11 ] || fail "2 functions of 5 repetitions are 10 rows"

what="options -t and -b"
run 0 2 "$bench" -f Cart_neighbor_allgather -d 2 -m 1 -n 3 -r 3 -t
rows '$8 == 1 && $9 == 0'
run 0 2 "$bench" -f Cart_neighbor_allgather -d 2 -m 1 -n 3 -r 3 -b
rows '$8 == 0 && $9 == 1'

what="all functions"
run 0 2 "$bench" -f '*' -d 2 -m 0,3 -n 2 -r 3 --batch 1 --summary --seed 9 --raw "$work/raw"
rows 'NF == 20 && $9 == 1 && $10 == 3 && $11 <= $12 && $12 <= $13 && $13 <= $14 && $15 <= $13 && $13 <= $16'
rows '$1 !~ /^Cart/ || $18 == "right"'
rows '$17 > 0'
rows '$1 ~ /^Cart/ ? $20 ~ /\/[0-9]+$/ : $20 == ""'
grep -q '^# seed: 9$' "$work/out" || fail "the seed is not printed"
rows 'NF == 10 && $10 >= 0' raw
[ "$(grep -c MPI_Neighbor_alltoallw\; "$work/raw")" -eq 6 ] || fail "2 block sizes of 3 repetitions"

what="batches"
run 0 1 "$bench" -f Cart_neighbor_alltoall -d 2 -m 1 -n 2 -r 3 --batch-us 500 --summary
rows '$9 > 1'

what="variants of ours"
run 0 2 "$bench" -d 3 -n 3 -r 3 --algorithm auto,direct,partial,combining --mode default,persistent --summary
[ "$(grep -c '^ *Cart_neighbor_alltoall' "$work/out")" -eq 8 ] || fail "4 algorithms in 2 modes"
run 0 1 "$check" -f TUW_Cart_neighbor_alltoall:combining:blocking -d 3 -m 100 -n 5 -r 10
grep -q '^passed$' "$work/out" || fail "not passed"
run 1 1 "$check" -f Cart_neighbor_alltoallv:combining -d 3 -n 4
grep -q 'no schedule alltoallv d=3 n=4 combining was built' "$work/out" || fail "what is missing"

what="wrong usage"
for arguments in "-f nonsense" "-d 0" "-d 9" "-n 1" "-m x" "-m 5-3" "-r 0" "--nonsense" "-d" "stray" \
    "--mode fast" "--algorithm best" "--seed -1"; do
    for program in "$bench" "$check"; do
        # shellcheck disable=SC2086
        run 2 2 "$program" $arguments
        [ "$(grep -c 'error: ' "$work/err")" -eq 1 ] || fail "$arguments: not one line of error"
        [ ! -s "$work/out" ] || fail "$arguments: something on stdout"
    done
done
run 2 1 "$bench" -r 1 --raw "$work/nowhere/raw"
run 2 1 "$check" --plant nonsense
run 2 1 "$check" --summary

what="help"
run 0 2 "$bench" --help
for word in --function --dims --block --neighbours --repetitions --trivial --blocking --algorithm \
    --mode --summary --raw --batch --budget --seed Cart_neighbor_X MPI_Ineighbor_X 'func;nrep'; do
    grep -q -e "$word" "$work/out" || fail "$word is not in --help"
done
[ "$(grep -c '^usage' "$work/out")" -eq 1 ] || fail "one rank speaks"
run 0 1 "$check" --help
run 0 1 "$bench" --list
[ "$(wc -l <"$work/out")" -ge 36 ] || fail "--list"

echo "$faults faults"
[ $faults -eq 0 ]
