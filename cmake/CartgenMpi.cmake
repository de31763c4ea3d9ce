# SPDX-License-Identifier: MIT
# cartgen_find_mpi(LIBRARY): the target MPI::MPI_C and MPIEXEC_EXECUTABLE of LIBRARY (openmpi, mpich,
# or empty for what is found first). Where both are installed (Debian: mpicc.openmpi, mpicc.mpich)
# the plain names are whichever an administrator chose, so the full ones are looked for first.
# Afterwards CARTGEN_MPI_LIBRARY says what it is: openmpi, mpich or other.

include(CheckSymbolExists)

macro(cartgen_find_mpi library)
    cartgen_prefer_mpi("${library}")
    find_package(MPI QUIET GLOBAL COMPONENTS C)
    if(NOT MPI_C_FOUND)
        message(FATAL_ERROR "cartgen: no MPI for C found (${library}); install one, or set "
            "MPI_C_COMPILER to its compiler wrapper")
    endif()
    cartgen_identify_mpi(CARTGEN_MPI_LIBRARY)
    if(NOT "${library}" STREQUAL "" AND NOT CARTGEN_MPI_LIBRARY STREQUAL "${library}")
        message(FATAL_ERROR "cartgen: MPI_C_COMPILER is of ${CARTGEN_MPI_LIBRARY}, but ${library} "
            "is asked for: ${MPI_C_COMPILER}")
    endif()
endmacro()

# Let FindMPI take the wrapper and the launcher of a library, unless the user chose a wrapper.
function(cartgen_prefer_mpi library)
    if(library AND NOT MPI_C_COMPILER)
        find_program(MPI_C_COMPILER NAMES mpicc.${library})
        find_program(MPIEXEC_EXECUTABLE NAMES mpiexec.${library} mpirun.${library})
    endif()
endfunction()

# Which library mpi.h belongs to. Nothing is run.
function(cartgen_identify_mpi library_p)
    set(CMAKE_REQUIRED_LIBRARIES MPI::MPI_C)
    set(CMAKE_REQUIRED_QUIET ON)
    check_symbol_exists(OPEN_MPI mpi.h CARTGEN_MPI_IS_OPENMPI)
    check_symbol_exists(MPICH_VERSION mpi.h CARTGEN_MPI_IS_MPICH)
    if(CARTGEN_MPI_IS_OPENMPI)
        set(${library_p} openmpi PARENT_SCOPE)
    elseif(CARTGEN_MPI_IS_MPICH)
        set(${library_p} mpich PARENT_SCOPE)
    else()
        set(${library_p} other PARENT_SCOPE)
    endif()
endfunction()
