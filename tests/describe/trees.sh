#!/bin/sh
# SPDX-License-Identifier: MIT
# trees.sh LIBRARY PROGRAM [SEED [COUNT]]: random types, read back and compared with what MPI does.
set -eu
program=$(readlink -f -- "$2")
cd "$(dirname "$0")"
output=$(mktemp)
trap 'rm -f "$output"' EXIT
../mpirun.sh "$1" 1 "$program" "${3:-1}" "${4:-600}" "$output"
"${CARTGEN_LUA:-lua5.4}" trees.lua "$output"
