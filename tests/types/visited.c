/* SPDX-License-Identifier: MIT */
#include "visited.h"

enum { MOST_EVENTS = 4096 };

typedef enum kind { RUN, LOOP, END } kind;

typedef struct event {
    kind what;
    int64_t at, count, stride;
} event;

/* The events, played back; position: in the stream. */
typedef struct told {
    event events[MOST_EVENTS];
    int count;
    int bad; /* a list, or too many events */
    const place *places;
    int64_t size, position, wrong;
} told;

static void note(told *t, event e)
{
    if (t->count < MOST_EVENTS)
        t->events[t->count++] = e;
    else
        t->bad = 1;
}

static void run(void *state, int64_t at, int64_t bytes) { note(state, (event){RUN, at, bytes, 0}); }

static void loop(void *state, int64_t at, int64_t count, int64_t stride)
{
    note(state, (event){LOOP, at, count, stride});
}

static void list(void *state, int64_t at, int64_t count, const int64_t *index, int64_t scale,
                 const int64_t *lengths, int64_t stride)
{
    (void)at, (void)count, (void)index, (void)scale, (void)lengths, (void)stride;
    ((told *)state)->bad = 1;
}

static void end(void *state) { note(state, (event){.what = END}); }

static void compare(told *t, int64_t at, int64_t bytes)
{
    for (int64_t i = 0; i < bytes && t->position < t->size && t->wrong < 0; i++, t->position++)
        if (t->places[t->position].base != 0 || t->places[t->position].displ != at + i)
            t->wrong = t->position;
}

/* Events from `first` up to their end, at `at` (skip: without looking); the number behind it. */
static int play(told *t, int first, int64_t at, int skip)
{
    while (first < t->count && t->events[first].what != END) {
        const event e = t->events[first++];
        if (e.what == RUN) {
            if (!skip)
                compare(t, at + e.at, e.count);
            continue;
        }
        for (int64_t i = 0; !skip && i < e.count && t->wrong < 0; i++)
            play(t, first, at + e.at + i * e.stride, 0);
        first = play(t, first, 0, 1);
    }
    return first + 1;
}

/* Bytes that the events from `first` up to their end tell of. */
static int64_t bytes_of(const told *t, int *first_p)
{
    int64_t sum = 0;
    while (*first_p < t->count && t->events[*first_p].what != END) {
        const event e = t->events[(*first_p)++];
        sum += e.what == RUN ? e.count : e.count * bytes_of(t, first_p);
    }
    ++*first_p;
    return sum;
}

int64_t visited_wrong(visited_call visit, const void *layout, const place *places, int64_t size)
{
    static told t; /* too large for a stack */
    const cartgen_visitor visitor = {&t, run, loop, list, end};
    int first = 0;
    t.count = t.bad = 0;
    t.places = places;
    t.size = size;
    t.position = 0;
    t.wrong = -1;
    if (!visit(layout, &visitor))
        return t.count == 0 && !t.bad ? -1 : -2;
    if (t.bad)
        return -2;
    if (bytes_of(&t, &first) != size)
        return size;
    play(&t, 0, 0, 0);
    return t.wrong;
}
