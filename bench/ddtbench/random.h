/* SPDX-License-Identifier: MIT */
/* random.h - splitmix64 (Steele, Lea, Flood, OOPSLA 2014). */
#ifndef DDT_RANDOM_H
#define DDT_RANDOM_H

#include <stdint.h>

static inline uint64_t ddt_random(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

static inline void ddt_shuffle(int order[], int count, uint64_t *state)
{
    for (int i = count - 1; i > 0; i--) {
        int j = (int)(ddt_random(state) % (uint64_t)(i + 1));
        int kept = order[i];
        order[i] = order[j];
        order[j] = kept;
    }
}

#endif
