#!/bin/sh
# SPDX-License-Identifier: MIT
# same.sh LUA LUAJIT: a seed gives the same cases in both interpreters.
set -eu
here=$(dirname "$0")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for interpreter in "$1" "$2"; do
    "$interpreter" "$here/run.lua" --print --seed 7 --count 150 >"$work/$(basename "$interpreter").txt"
done
cmp "$work"/*.txt
[ "$(wc -l <"$work/$(basename "$1").txt")" -gt 1000 ]
