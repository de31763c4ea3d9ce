/* SPDX-License-Identifier: MIT */
/*
 * describe.h - the description of a live MPI_Datatype, to move an existing code over (library
 * cartgen_describe; docs/from-mpi.md).
 *
 * A type is read by MPI_Type_get_envelope and MPI_Type_get_contents and written as
 *
 *     layout "NAME" {
 *       type = vector(4, 2, 8, double),
 *     }
 *
 * with the constructors and basic types of the description language. A part that occurs more than
 * once is a local; the text is then a block of its own (do ... end), so that texts may be written
 * one behind the other. Where the bounds the library gives a type differ from those of the
 * definition (MPI 4.0, 5.1), a resized(lb, extent, T) states the library's. MPI_Type_dup leaves no
 * trace; MPI_Type_create_darray and the predefined pairs are written by other constructors with the
 * same elements.
 *
 * Local calls, between MPI_Init and MPI_Finalize; the type need not be committed and is not changed.
 * Errors, with the type or argument in cartgen_last_error:
 *   CARTGEN_ERR_ARGUMENT     NULL or MPI_DATATYPE_NULL; a name that is no C identifier; a file that
 *                            cannot be written
 *   CARTGEN_ERR_STATE        MPI is not initialized, or finalized
 *   CARTGEN_ERR_UNSUPPORTED  a predefined type (MPI_PACKED, MPI_LB, MPI_REAL16) or combiner for which
 *                            the language has no word
 *   CARTGEN_ERR_SIZE         more than 2^20 parts
 *   CARTGEN_ERR_MEMORY       out of memory
 *   CARTGEN_ERR_TRANSPORT    MPI reported an error and its error handler returned
 */
#ifndef CARTGEN_DESCRIBE_H
#define CARTGEN_DESCRIBE_H

#include <stdio.h>

#include "cartgen/mpi.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Writes the description to `out`: all of it, or (errors other than of the file) nothing. */
cartgen_status cartgen_mpi_describe(MPI_Datatype type, const char *name, FILE *out);

/* The same as a string that ends in a newline; cartgen_mpi_describe_free releases it. */
cartgen_status cartgen_mpi_describe_text(MPI_Datatype type, const char *name, char **text_p);

/* NULL is fine. */
void cartgen_mpi_describe_free(char *text);

#ifdef __cplusplus
}
#endif

#endif
