# shellcheck shell=sh
# SPDX-License-Identifier: MIT
# For scripts that run MPI programs and look at what they print; sourced with $library and $here (the
# folder of the script) set. Faults are counted in $faults; the folder $work is removed at the end.
: "${library:?}" "${here:?}"
faults=0
export OMPI_MCA_odls_base_sigkill_timeout=0 # Open MPI waits that long after a status that is not 0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
    echo "FAILED: $1"
    cat "$work/out" "$work/err" 2>/dev/null | sed 's/^/    /' | head -n 40
    faults=$((faults + 1))
}

# run STATUS RANKS PROGRAM ARGUMENT...: output in out and err.
run() {
    wanted=$1
    ranks=$2
    shift 2
    "$here/../mpirun.sh" "$library" "$ranks" "$@" >"$work/out" 2>"$work/err"
    status=$?
    [ $status -eq "$wanted" ] || fail "$*: exit status $status, expected $wanted"
}
