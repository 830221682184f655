/* l0.h - the L0 instruction cache of a sub-core: tags, lines that are under way, and a stream
 * buffer of lines fetched ahead. What an instruction is comes from the program; only the time that
 * its line takes is modelled here.
 *
 * Sources: Huerta et al., "Analyzing and Improving Hardware Modeling of Accel-Sim" (CAMS 2023): an
 * L0 for each sub-core, one request and one reply at a time; and "Analyzing Modern NVIDIA GPU
 * Cores" (MICRO 2025): a stream buffer behind the L0, of 8 lines. */
#ifndef UNIT_SUBCORE_L0_H
#define UNIT_SUBCORE_L0_H

#include "ogive/unit.h"

#define L0_UNDER_WAY_MAX 64
#define L0_MISSES_MAX    16
#define L0_STREAM_MAX    32

_Static_assert(L0_MISSES_MAX + L0_STREAM_MAX <= L0_UNDER_WAY_MAX, "all of them at once");

#define L0_PARAMS(P)                                                                          \
    P(bytes, l0_size, 0, 0, 1 * MiB,                                                          \
      "L0 instruction cache, before the unit that `fetch` of `execute` names; 0: has all")    \
    P(number, l0_ways, 4, 1, 256, "its lines in a set")                                       \
    P(bytes, l0_line, 128, 32, 1024, "its lines; a fetch brings nothing from behind the end") \
    P(number, l0_mshrs, 4, 1, L0_MISSES_MAX, "lines under way that warps wait for")           \
    P(number, stream, 0, 0, L0_STREAM_MAX,                                                    \
      "lines behind a missing one that are fetched ahead, "                                   \
      "into a buffer beside the L0")

#define L0_STATS(S)                                                                        \
    S(l0_hits, "fetches", SUM, WORK, "fetches that found their line in the L0")            \
    S(l0_misses, "fetches", SUM, WORK, "fetches that asked for a line, or waited for one") \
    S(l0_lines, "lines", SUM, WORK, "lines asked for because a warp needed them")          \
    S(stream_lines, "lines", SUM, WORK, "lines fetched ahead")                             \
    S(stream_hits, "lines", SUM, WORK, "of these, needed later: there, or still under way")

/* A line that is not in the cache. */
struct l0_line {
    u32 line;
    u8 wanted, sent, come; /* sectors */
};

/* Lines are numbered from the first line of the text on. */
struct l0 {
    u32 *tags;     /* [sets][ways] line + 1, the last used of a set first; 0: none */
    u64 first;     /* address of line 0, in lines */
    u32 last_line; /* of the text */
    u32 sets, ways;
    u32 sectors;                  /* of a line */
    u32 stream_next, stream_last; /* lines that are to be fetched ahead; none if next is greater */

    /* By place in `lines`. A line without any of the last three was given up; it is under way
     * still. */
    u64 used;
    u64 demanded; /* goes into the cache when it comes */
    u64 streamed; /* stays in the stream buffer */
    u64 queued;   /* has sectors to be sent, or its turn in the queue to come */
    struct l0_line *lines;
    u8 queue[L0_UNDER_WAY_MAX]; /* ring */
    u32 head, length;
    bool refused; /* the link has no room */
};

enum l0_found { L0_HERE, L0_AWAITED, L0_NO_ROOM };

struct subcore;

bool l0_init(struct subcore *u, struct ogv_error *error);
/* The text of the program, in addresses that are fetched. */
void l0_start(struct l0 *l0, u64 line_bytes, u64 begin, u64 end);
/* A fetch of a warp. A line that is not here is asked for. */
enum l0_found l0_look(struct subcore *u, u32 line);
/* Sends a sector's request, if there is one. */
void l0_send(struct subcore *u);
/* An answer; the line that is in the cache now, or NOBODY. */
u32 l0_answer(struct subcore *u, u32 tag);

#endif
