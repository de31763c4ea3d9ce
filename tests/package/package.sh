#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# package.sh STEP: one step of the package test; ctest sets the variables (see CMakeLists.txt).
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
stage="$WORK/stage"
prefix="$stage/opt/cartgen"
project="$WORK/project"
build="$WORK/build"

fail() {
    echo "FAILED: $*" >&2
    exit 1
}

step_install() {
    rm -rf "$WORK"
    mkdir -p "$WORK"
    DESTDIR="$stage" "$CMAKE" --install "$BUILD" --prefix /opt/cartgen >/dev/null
    cp -r "$here/project" "$project"
    for path in bin/cartgen include/cartgen/cartgen.h include/cartgen/mpi.h \
        share/cartgen/gen/cartgen.lua share/cartgen/templates \
        "$LIBDIR/libcartgen.a" "$LIBDIR/libcartgen_mpi.a" \
        "$LIBDIR/cmake/cartgen/cartgen-config.cmake"; do
        [[ -e "$prefix/$path" ]] || fail "$path was not installed"
    done
}

# From any directory, through a symbolic link, with each interpreter, the same bytes every time.
step_launcher() {
    mkdir -p "$WORK/links"
    ln -sf "$prefix/bin/cartgen" "$WORK/links/cg"
    cd "$project"
    "$prefix/bin/cartgen" --version
    "$prefix/bin/cartgen" wind.lua >"$WORK/first.c"
    [[ -s "$WORK/first.c" ]] || fail "nothing on stdout"
    (PATH="$WORK/links:$PATH" && cg wind.lua) | cmp - "$WORK/first.c"
    for lua in lua5.4 luajit; do
        CARTGEN_LUA=$lua "$prefix/bin/cartgen" wind.lua | cmp - "$WORK/first.c"
    done
    grep -F "$WORK" "$WORK/first.c" && fail "the output names a path of this machine"
    return 0
}

step_configure() {
    rm -rf "$build"
    "$CMAKE" -G Ninja -S "$project" -B "$build" -DCMAKE_PREFIX_PATH="$prefix" \
        -DCMAKE_BUILD_TYPE=Release "-DCMAKE_C_FLAGS=-Wall -Wextra -Werror"
}

step_build() {
    "$CMAKE" --build "$build"
}

step_run() {
    for program in outside outside_direct; do
        for ranks in 1 2 4; do
            echo "$program on $ranks"
            "$here/../mpirun.sh" "$MPI_LIBRARY" "$ranks" "$build/$program"
        done
    done
}

# What the last build did, from its output: generated, compiled, linked.
rebuild() {
    "$CMAKE" --build "$build" >"$WORK/log" 2>&1
}
did() {
    grep -q "$1" "$WORK/log"
}
generated="cartgen: wind from wind.lua"
compiled="Building C object"
linked="Linking C executable"

expect_nothing() {
    rebuild
    did "no work to do" || { cat "$WORK/log"; fail "built again after $1"; }
}

expect_only_generated() {
    sleep 0.02
    rebuild
    did "$generated" || { cat "$WORK/log"; fail "not generated after $1"; }
    if did "$compiled" || did "$linked"; then
        cat "$WORK/log"
        fail "compiled or linked after $1"
    fi
    expect_nothing "$1 and a build"
}

expect_all() {
    rebuild
    for what in "$generated" "$compiled" "$linked"; do
        did "$what" || { cat "$WORK/log"; fail "no '$what' after $1"; }
    done
    expect_nothing "$1 and a build"
}

step_rebuild() {
    rebuild
    expect_nothing "nothing"

    touch "$project/wind.lua"
    expect_only_generated "a touched description"
    touch "$prefix/share/cartgen/gen/cartgen.lua"
    expect_only_generated "a touched generator"
    touch "$(find "$prefix/share/cartgen/templates" -type f | head -n 1)"
    expect_only_generated "a touched template"
    echo "-- SPDX-License-Identifier: MIT" >"$prefix/share/cartgen/gen/another.lua"
    expect_only_generated "a file added to the generator"
    rm "$prefix/share/cartgen/gen/another.lua"

    sed -i 's/{1, 1} }/{1, 1}, {0, 0} }/' "$project/wind.lua"
    expect_all "a changed description"

    # A mistake stops the build with its line; what was there stays, and mending it is enough.
    cp "$build/cartgen/wind/wind.c" "$WORK/before.c"
    sed -i 's/torus(2)/torus(3)/' "$project/wind.lua"
    if rebuild; then
        fail "a wrong description was built"
    fi
    did "wind.lua:[0-9]*: error:" || { cat "$WORK/log"; fail "no file and line in the message"; }
    cmp "$build/cartgen/wind/wind.c" "$WORK/before.c"
    sed -i 's/torus(3)/torus(2)/' "$project/wind.lua"
    expect_only_generated "mending the description"

    cp "$here/project/wind.lua" "$project/wind.lua"
    expect_all "the description of before"
}

# A project that uses the other MPI library, or asks for another version, is told so.
step_guards() {
    local other=mpich
    [[ $MPI_LIBRARY == mpich ]] && other=openmpi
    if command -v "mpicc.$other" >/dev/null; then
        if "$CMAKE" -G Ninja -S "$project" -B "$WORK/other" -DCMAKE_PREFIX_PATH="$prefix" \
            -DMPI_C_COMPILER="mpicc.$other" >"$WORK/log" 2>&1; then
            fail "took $other for $MPI_LIBRARY"
        fi
        tr -s ' \n' ' ' <"$WORK/log" | grep -q "built with $MPI_LIBRARY, but the MPI found is $other" ||
            { cat "$WORK/log"; fail "no word about the two libraries"; }
    fi
    mkdir -p "$WORK/newer"
    printf '%s\n' 'cmake_minimum_required(VERSION 3.24)' 'project(newer LANGUAGES C)' \
        'find_package(cartgen 99.0 REQUIRED)' >"$WORK/newer/CMakeLists.txt"
    if "$CMAKE" -G Ninja -S "$WORK/newer" -B "$WORK/newer/build" \
        -DCMAKE_PREFIX_PATH="$prefix" >"$WORK/log" 2>&1; then
        fail "took this version for 99.0"
    fi
}

"step_${1:?usage: package.sh STEP}"
