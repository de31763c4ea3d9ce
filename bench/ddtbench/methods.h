/* SPDX-License-Identifier: MIT */
/* methods.h - the ways to move a case, behind one interface: opened for a case and its arrays, used
 * any number of times and closed. */
#ifndef DDT_METHODS_H
#define DDT_METHODS_H

#include <mpi.h>

#include "cartgen/cartgen.h"
#include "cases.h"
#include "types.h"

typedef struct ddt_method ddt_method;
typedef struct ddt_cartgen_state ddt_cartgen_state;

typedef struct ddt_state {
    const ddt_method *method;
    const ddt_case *c;
    ddt_type types[2];          /* mpi_ddt, mpi_pack_ddt */
    ddt_cartgen_state *cartgen;
    MPI_Comm mpi;               /* who exchanges; MPI_COMM_NULL: nobody, kernels alone are timed */
    cartgen_comm *comm;         /* the same; NULL */
    unsigned char *out;         /* message buffers of c->bytes; NULL: straight from and to arrays */
    unsigned char *in;
} ddt_state;

/* What one call sends or receives: the whole stream. */
typedef struct ddt_message {
    void *buffer;
    int count; /* divisible by the number of processes of an all-to-all */
    MPI_Datatype type;
} ddt_message;

struct ddt_method {
    const char *name;
    int flat; /* moves bytes, but none of the case's arrays */
    /* 0: open() would have nothing to open; NULL: always offered */
    int (*offered)(const ddt_case *c);
    void (*open)(ddt_state *s, void *const arrays[]);
    void (*close)(ddt_state *s);
    /* NULL: nothing is packed */
    void (*pack)(const ddt_state *s, void *const arrays[], void *packed);
    void (*unpack)(const ddt_state *s, void *const arrays[], const void *packed);
    /* NULL: its messages are not of one call of MPI */
    ddt_message (*message)(const ddt_state *s, ddt_side side, void *const arrays[]);
    void (*send)(const ddt_state *s, void *const arrays[], int peer);
    void (*receive)(const ddt_state *s, void *const arrays[], int peer);
    void (*exchange)(const ddt_state *s, void *const arrays[]); /* of all processes: FFT2 */
};

extern const ddt_method ddt_methods[];
extern const int ddt_method_count;

int ddt_method_offered(const ddt_method *m, const ddt_case *c);

/* The timed part of making (freeing) a method: types, layouts, message buffers. The case must
 * outlive the state. */
void ddt_method_open(const ddt_method *m, const ddt_case *c, void *const arrays[], MPI_Comm mpi,
                     cartgen_comm *comm, ddt_state *s_p);
void ddt_method_close(ddt_state *s);

/* Prints an error and ends all processes. */
void ddt_stop(const char *what);

/* Packing is skipped where the method sends from where the stream lies, unpacking where it receives
 * it there. */
int ddt_method_packs(const ddt_state *s);
int ddt_method_unpacks(const ddt_state *s);

#endif
