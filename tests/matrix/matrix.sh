#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# matrix.sh generate                          every description, by both interpreters, into $WORK
# matrix.sh compile MPI COMPILER LANGUAGE     openmpi|mpich  gcc|clang  c11|c++17
# The compiler is called as a user calls it, through the MPI library's wrapper.
set -euo pipefail

root=$(cd "$(dirname "$0")/../.." && pwd)
faults=0
shopt -s nullglob

fault() {
    echo "FAILED: $*"
    faults=$((faults + 1))
}

# What a description is generated with: as it says, and by each algorithm that fits all.
algorithms=("" direct combining auto)

# Interpreter, description, algorithm, output without its ending.
generate() {
    local options=()
    [[ -n $3 ]] && options=(--algorithm "$3")
    (cd "$(dirname "$2")" &&
        "$1" "$root/gen/cartgen.lua" "${options[@]}" -o "$4.c" --header "$4.h" "$(basename "$2")")
}

do_generate() {
    rm -rf "$WORK"
    mkdir -p "$WORK/lua" "$WORK/jit"
    local description algorithm name count=0
    for description in "$root"/tests/descriptions/*.lua; do
        for algorithm in "${algorithms[@]}"; do
            name=$(basename "$description" .lua)${algorithm:+.$algorithm}
            if generate "$CARTGEN_LUA54" "$description" "$algorithm" "$WORK/lua/$name" &&
                generate "$CARTGEN_LUAJIT" "$description" "$algorithm" "$WORK/jit/$name"; then
                for file in "$name.c" "$name.h"; do
                    cmp "$WORK/lua/$file" "$WORK/jit/$file" || fault "$file: the interpreters differ"
                done
                count=$((count + 1))
            else
                fault "$name: not generated"
            fi
        done
    done
    echo "$count generated"
    [[ $count -gt 0 ]] || fault "nothing to generate"
}

do_compile() {
    local mpi=$1 compiler=$2 language=$3 wrapper as file
    case $language in
    c11) wrapper=mpicc.$mpi as=c ;;
    c++17) wrapper=mpicxx.$mpi as=c++ ;;
    esac
    local cxx=g++
    [[ $compiler == clang ]] && cxx=clang++
    export OMPI_CC=$compiler MPICH_CC=$compiler OMPI_CXX=$cxx MPICH_CXX=$cxx
    local flags=(-std="$language" -O2 -Wall -Wextra -Wpedantic -Werror -I "$root/runtime/include")

    local object count=0
    object=$WORK/$mpi.$compiler.$language.o
    for file in "$root"/generated/*.c "$WORK"/lua/*.c; do
        "$wrapper" "${flags[@]}" -x "$as" -c "$file" -o "$object" || fault "$file"
        count=$((count + 1))
    done
    # Headers by themselves, and twice.
    for file in "$root"/generated/*.h "$WORK"/lua/*.h "$root"/runtime/include/cartgen/*.h; do
        printf '#include "%s"\n#include "%s"\n' "$file" "$file" |
            "$wrapper" "${flags[@]}" -x "$as" -c - -o "$object" || fault "$file"
        count=$((count + 1))
    done
    # A layout as a table of functions.
    printf '#include "%s"\n%s;\n%s\n' "$WORK/lua/layouts.h" "CARTGEN_LAYOUT_CALLS(one_run)" \
        'const cartgen_layout_calls *calls(void); const cartgen_layout_calls *calls(void) { return &one_run_calls; }' |
        "$wrapper" "${flags[@]}" -x "$as" -c - -o "$object" || fault CARTGEN_LAYOUT_CALLS
    rm -f "$object"
    echo "$count compiled"
}

action=${1:?usage: matrix.sh generate|compile ...}
shift
"do_$action" "$@"
[[ $faults -eq 0 ]]
