#!/bin/sh
# SPDX-License-Identifier: MIT
# lint.sh luacheck|luac5.4|luajit|spdx|merged: one check over the sources; what it finds, and status 1.
set -eu
cd "$(dirname "$0")/.."

lua_files() {
    find gen tests bench generated -name '*.lua' | LC_ALL=C sort
}

# Every file by itself: luac and luajit stop at the first they cannot read.
each_lua_file() {
    faults=0
    for file in $(lua_files); do
        "$@" "$file" || faults=$((faults + 1))
    done
    [ $faults -eq 0 ]
}

luajit_syntax() {
    luajit -b "$1" /dev/null
}

# A licence line at the head of every source file of ours. Templates become output, which has its own.
spdx() {
    missing=$(find CMakeLists.txt .ci .gitignore .luacheckrc quickstart check cmake gen runtime \
            generated bench tests docs -type f \
            \( -name '*.[ch]' -o -name '*.cpp' -o -name '*.lua' -o -name '*.sh' -o -name '*.cmake*' \
            -o -name '*.in' -o -name '*.supp' -o -name CMakeLists.txt -o ! -name '*.*' \
            -o -name '.*' \) |
        LC_ALL=C sort |
        while read -r file; do
            head -n 12 "$file" | grep -q 'SPDX-License-Identifier' || echo "$file: no SPDX line"
        done)
    [ -z "$missing" ] && return
    echo "$missing"
    return 1
}

# What a merge left undecided.
merged() {
    ! grep -rnE '^(<<<<<<<|>>>>>>>)( |$)' CMakeLists.txt README.md quickstart check cmake gen templates \
        runtime generated bench tests docs
}

case ${1:-} in
luacheck) luacheck --no-color --quiet gen tests bench generated ;;
luac5.4) each_lua_file luac5.4 -p ;;
luajit) each_lua_file luajit_syntax ;;
spdx) spdx ;;
merged) merged ;;
*)
    echo "usage: lint.sh luacheck|luac5.4|luajit|spdx|merged" >&2
    exit 2
    ;;
esac
