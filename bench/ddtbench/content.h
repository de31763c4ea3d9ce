/* SPDX-License-Identifier: MIT */
/*
 * content.h - the arrays of a case, what is in them, and whether an exchange left there what the
 * oracle says. All arrays of one process lie in one slab, each aligned to a cache line and with at
 * least a line of guard before and behind it. The content of every 4-byte word of a slab is a
 * function of the seed, the process and the word's place (never a NaN as a float or as a double):
 * nothing has to be kept to know what must have arrived.
 */
#ifndef DDT_CONTENT_H
#define DDT_CONTENT_H

#include <stddef.h>
#include <stdint.h>

#include "cases.h"

enum { DDT_ALIGN = 64, DDT_FAULT_TEXT = 160 };

/* Aligned to DDT_ALIGN; a process that gets none says so and aborts all. Freed with free(). */
void *ddt_memory_get(int64_t bytes);

/* Where the arrays of a case lie in a slab of *bytes_p bytes. */
void ddt_slab_layout(const ddt_case *c, int64_t start[DDT_ARRAYS], int64_t *bytes_p);

uint32_t ddt_content_key(unsigned seed, int rank);
uint32_t ddt_content_word(uint32_t key, int64_t word);
void ddt_content_fill(void *memory, int64_t bytes, uint32_t key);

/* A message buffer with a guard before and behind it. */
unsigned char *ddt_message_get(int64_t bytes);
void ddt_message_free(unsigned char *message);

/* Faults: all are counted, the first is told. */
typedef struct ddt_faults {
    int64_t count;
    char first[DDT_FAULT_TEXT];
} ddt_faults;

void ddt_faults_add(ddt_faults *faults, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

void ddt_message_check(const unsigned char *message, int64_t bytes, ddt_faults *faults);

/*
 * One process' part in a check. `cases` are the cases of the processes 0 and 1, which differ by
 * their lists (FFT2: any process has the case 0). With `flat` a stream lies in message buffers as
 * it is, and the content of a word is that of its place in the stream (the method `reference`).
 */
typedef struct ddt_view {
    const ddt_case *cases[2];
    int me;
    unsigned seed;
    unsigned char *slab;
    int64_t slab_bytes;
    int64_t start[DDT_ARRAYS];
    int turned; /* FFT2 on the way back: its two arrays change places */
    int flat;
    unsigned char *message; /* flat: what was received */
} ddt_view;

const ddt_case *ddt_view_case(const ddt_view *v, int rank);

/* Element k of the calling process' receive layout. */
unsigned char *ddt_view_element(const ddt_view *v, int64_t k);

/* `packed` is what the calling process' send layout holds. */
void ddt_check_packed(const ddt_view *v, const unsigned char *packed, ddt_faults *faults);

/* The receive layout holds what was sent to it; what it held before is put back. `own`: it holds
 * what it sent itself (an echo came back). */
void ddt_check_received(const ddt_view *v, int own, ddt_faults *faults);

/* The whole slab holds what it was filled with. */
void ddt_check_rest(const ddt_view *v, ddt_faults *faults);

/* The stream that the process `from` sends to the calling process, as an oracle packs it. */
void ddt_view_stream(const ddt_view *v, unsigned char *packed);

/* Faults that can be put into what was received, and their names. */
int ddt_plant_known(const char *name);
extern const char ddt_plant_names[];
void ddt_plant(const ddt_view *v, const char *name);

#endif
