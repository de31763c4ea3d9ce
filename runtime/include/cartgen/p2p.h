/* SPDX-License-Identifier: MIT */
/*
 * cartgen/p2p.h - generated layouts sent from one process to another, point to point, over MPI. Link with
 * cartgen::mpi.
 *
 *     CARTGEN_LAYOUT_CALLS(face)                       face: of `layout "face" { ... }`
 *
 *     cartgen_p2p *p2p;                                on process 0:
 *     cartgen_p2p_init(&face_calls, &layout, CARTGEN_P2P_SEND, 1, comm, &p2p);
 *     cartgen_p2p_send(p2p, a);                        as often as wanted
 *     cartgen_p2p_free(&p2p);
 *
 * and on process 1 with CARTGEN_P2P_RECV, 0 and cartgen_p2p_recv. How the bytes travel is chosen at init: from where they
 * lie, packed whole, in pieces that are packed and unpacked while others travel, or as a datatype of the library
 * (docs/p2p.md). Both ends of a message may have different layouts of the same size.
 */
#ifndef CARTGEN_P2P_H
#define CARTGEN_P2P_H

#include "cartgen/layout.h"
#include "cartgen/mpi.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cartgen_p2p cartgen_p2p;

/* What a cartgen_p2p is used for. */
typedef enum cartgen_p2p_ends {
    CARTGEN_P2P_SEND = 1,
    CARTGEN_P2P_RECV = 2,
    CARTGEN_P2P_BOTH = 3
} cartgen_p2p_ends;

/*
 * One end, or both, of messages with rank `peer` of the comm. Local; the first message waits until the other process has
 * made its end. Ends that are made for the same two ranks and direction belong together in the order in which they
 * are made. calls: NAME_calls of CARTGEN_LAYOUT_CALLS; layout: the NAME_layout, which must outlive the cartgen_p2p. The
 * comm's options eager and zero_copy hold for it.
 * CARTGEN_ERR_ARGUMENT, CARTGEN_ERR_MEMORY, CARTGEN_ERR_TRANSPORT (MPI reported an error), CARTGEN_ERR_STATE (MPI has no
 * more tags: some 10^4 to 10^9 ends toward one rank).
 */
cartgen_status cartgen_p2p_init(const cartgen_layout_calls *calls, const void *layout,
                                cartgen_p2p_ends ends, int peer, cartgen_comm *comm,
                                cartgen_p2p **p2p_p);

/*
 * Sends the layout's bytes in `from`; returns when `from` may change. As with MPI_Send, it may wait until the receiver
 * has begun to receive. 0 bytes: no message.
 *
 * CARTGEN_ERR_ARGUMENT: an address is NULL, the object is not made for this end. CARTGEN_ERR_MISMATCH: the other end's
 * layout has another size, or its comm other options; nothing was sent, nor will be. CARTGEN_ERR_STATE: the other end would be on this process, which has not made it.
 * CARTGEN_ERR_TRANSPORT: MPI
 * reported an error; the ends are of no more use.
 */
cartgen_status cartgen_p2p_send(cartgen_p2p *p2p, const void *from);

/* Receives into the layout's places in `to`. Errors as of cartgen_p2p_send. */
cartgen_status cartgen_p2p_recv(cartgen_p2p *p2p, void *to);

/* Both at once, so that processes in a circle do not wait for each other; what is sent and what is received may not
 * overlap. send and recv may be one cartgen_p2p. */
cartgen_status cartgen_p2p_sendrecv(cartgen_p2p *send, const void *from, cartgen_p2p *recv,
                                    void *to);

/* Local; before its comm is freed. *p2p_p NULL is fine. Sets *p2p_p to NULL. */
void cartgen_p2p_free(cartgen_p2p **p2p_p);

#ifdef __cplusplus
}
#endif

#endif
