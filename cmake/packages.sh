# SPDX-License-Identifier: MIT
# Sourced by quickstart and check: the packages they need (Debian 12 names), and steps with a tidy
# output. Expects the current directory to be the repository's root.
# shellcheck shell=bash

log=build/setup.log

packages_quickstart=(gcc libc6-dev cmake ninja-build lua5.4 lua-argparse openmpi-bin libopenmpi-dev)
# shellcheck disable=SC2034
packages_check=("${packages_quickstart[@]}" g++ clang mpich libmpich-dev luajit lua-busted lua-check
    lua-dkjson libcmocka-dev valgrind libc6-dbg)

say() {
    printf '\n==> %s\n' "$*"
}

# quietly WHAT COMMAND...: the command's output goes to the log; its end is shown when it fails.
quietly() {
    local what=$1 start=$SECONDS
    shift
    printf '    %s ... ' "$what"
    if "$@" >"$log" 2>&1; then
        printf '%d s\n' $((SECONDS - start))
    else
        local status=$?
        printf 'FAILED (status %d)\n' $status
        tail -n 40 "$log"
        return $status
    fi
}

as_root() {
    if [[ $(id -u) -eq 0 ]]; then
        "$@"
    else
        sudo "$@"
    fi
}

packages_missing() {
    local package
    for package in "$@"; do
        [[ $(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null) == installed ]] ||
            echo "$package"
    done
}

# Install what is missing; without anything missing no network and no rights are needed.
packages_ensure() {
    mkdir -p build
    if ! command -v dpkg-query >/dev/null; then
        echo "    not a Debian system: taking for granted what provides $*"
        return
    fi
    local missing
    mapfile -t missing < <(packages_missing "$@")
    if [[ ${#missing[@]} -gt 0 ]]; then
        echo "    to install: ${missing[*]}"
        quietly "apt-get update" as_root apt-get -q update
        quietly "apt-get install" as_root env DEBIAN_FRONTEND=noninteractive \
            apt-get -q -y --no-install-recommends install "${missing[@]}"
    fi
    dpkg-query -W -f='    ${Package} ${Version}\n' "$@"
}
