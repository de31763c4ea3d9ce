#!/bin/sh
# SPDX-License-Identifier: MIT
# calls.sh LIBRARY PROGRAM: the texts that calls.c prints are those of golden.txt.
set -eu
here=$(dirname "$0")
output=$(mktemp)
trap 'rm -f "$output"' EXIT
"$here/../mpirun.sh" "$1" 1 "$2" "$output"
diff "$here/golden.txt" "$output"
