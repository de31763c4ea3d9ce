#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# exchange.sh COUNT: random types in schedules on 4 ranks, COUNT with lists that are known at run time, and COUNT / 2 of all
# sorts behind the cases of corners.lua.
# exchange.sh --planted: faults in what lists are made of at init; each must be found.
# Environment: LUA, HARNESS, WORK, CC, CFLAGS, RUNTIME (its libraries), MPI (the library's name), MPIEXEC.
set -euo pipefail

root=$(cd "$(dirname "$0")/../.." && pwd)

# exchange FOLDER COUNT FLAGS SOURCES MORE...
exchange() {
    local folder=$1 count=$2 flags=$3 sources=$4
    shift 4
    "$LUA" "$root/tests/types/run.lua" --exchange --without bases,reduce --count "$count" \
        --generator "$LUA $root/gen/cartgen.lua" --harness "$HARNESS" --work "$folder" --root "$root" \
        --launch "$root/tests/mpirun.sh $MPI 4" --cc "$CC" --cflags "$flags" --sources "$sources" "$@" </dev/null
}

if [[ $1 != --planted ]]; then
    exchange "$WORK" "$1" "$CFLAGS" "$RUNTIME" --with-lists --random-only
    exchange "$WORK" "$(($1 / 2))" "$CFLAGS" "$RUNTIME"
    exit
fi

WORK=$WORK.planted # both tests may run at once
faults=0
# A seed whose types show it, and a substitution in runtime/src/list.c that makes lists wrong.
while read -r seed change; do
    mkdir -p "$WORK"
    sed "$change" "$root/runtime/src/list.c" >"$WORK/list.c"
    if cmp -s "$root/runtime/src/list.c" "$WORK/list.c"; then
        echo "FAILED: $change changes nothing"
        faults=$((faults + 1))
    elif ! exchange "$WORK" 24 "$CFLAGS -I$root/runtime/src" "$WORK/list.c $RUNTIME" --with-lists --random-only --seed "$seed" --found; then
        echo "FAILED: $change is not found"
        faults=$((faults + 1))
    fi
done <<'END'
1 s/list.first = index\[0\] \* scale/list.first = 0/
3 s/sum\[n\] += copies \* s->run/sum[n] += s->run/
1 s/+ k \* s->stride;/;/
1 s/i < s->count ? i : s->count - 1/i > 0 ? i - 1 : 0/
END
[[ $faults -eq 0 ]]
