#!/bin/sh
# SPDX-License-Identifier: MIT
# mpirun.sh LIBRARY RANKS PROGRAM [ARGUMENT...]
# Runs PROGRAM on RANKS ranks of this machine with the launcher of LIBRARY (openmpi, mpich, other),
# also as root and on fewer cores than ranks. MPIEXEC: another launcher of the same library.
set -eu

if [ $# -lt 3 ]; then
    echo "usage: mpirun.sh openmpi|mpich|other RANKS PROGRAM [ARGUMENT...]" >&2
    exit 2
fi
library=$1
ranks=$2
shift 2

launcher=${MPIEXEC:-}
if [ -z "$launcher" ]; then
    launcher=mpiexec
    command -v "mpiexec.$library" >/dev/null 2>&1 && launcher=mpiexec.$library
fi

if [ "$library" != openmpi ]; then
    exec "$launcher" -n "$ranks" "$@"
fi

# One machine: ssh is neither needed nor looked for. Unbound, as two tests may run side by side.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_plm_rsh_agent=
exec "$launcher" --oversubscribe --bind-to none --mca mpi_yield_when_idle 1 -n "$ranks" "$@"
