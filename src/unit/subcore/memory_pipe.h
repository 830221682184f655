/* memory_pipe.h - the stages that a memory instruction passes between its issue and the structures
 * that the sub-cores of an SM share.
 *
 * Without them (`pipe: direct`) an instruction is sent from the queue as soon as it has issued.
 * With them (`pipe: staged`):
 *
 *   queue      in order, until the address stage reads its registers and leaves what it writes to
 *              as the only thing that others must wait for
 *   buffer     the load/store unit of the SM is asked for the L1, the scratchpad or the cache of
 *              constants; whoever is granted one sends its requests, spread over the passes that it
 * needs. Messages to other units are sent without asking return     what was loaded is written to
 * registers, so many bytes per cycle
 *
 * Always true: a request is in exactly one of queue, asking, asked, sending, sent and returning. */
#ifndef UNIT_SUBCORE_MEMORY_PIPE_H
#define UNIT_SUBCORE_MEMORY_PIPE_H

#include "ogive/unit.h"

#define PIPE_BUFFER_MAX         64
#define PIPE_KINDS(C, with)     C(direct, with) C(staged, with)
#define PIPE_COALESCES(C, with) C(free, with) C(lines, with) C(sectors, with)
#define PIPE_RETURNS(C, with)   C(registers, with) C(passes, with)

/* The values of `modern` are what Huerta et al., MICRO 2025, measured and configured. */
#define PIPE_PARAMS(P)                                                                          \
    P(choice, pipe, "direct", UNIT_CHOICES(PIPE_KINDS), 0,                                      \
      "memory instructions are sent from the queue as they issue; or pass the stages below")    \
    P(words, pipe_arbiter, "", 0, 64,                                                           \
      "the unit `lsu` that is asked for L1, scratchpad and constants; none: no access waits "   \
      "for another")                                                                            \
    P(number, pipe_buffer, 4, 1, PIPE_BUFFER_MAX,                                               \
      "instructions between the address stage and their last request")                          \
    P(number, pipe_receives, 32, 1, 64, "answers of a unit taken per cycle")                    \
    P(cycles, pipe_read, 1, 1, 1000, "cycles from issue until registers are read (modern: 9)")  \
    P(cycles, pipe_interval, 1, 1, 64, "cycles from one reading to the next (modern: 4)")       \
    P(cycles, pipe_lanes, 0, 0, 64,                                                             \
      "further cycles if threads' addresses differ, to memory (modern: 2)")                     \
    P(cycles, pipe_scratch_lanes, 0, 0, 64, "the same, to the scratchpad (modern: 0)")          \
    P(cycles, pipe_store, 0, 0, 64, "further cycles to read a store's data (modern: 1)")        \
    P(cycles, pipe_store_lanes, 0, 0, 64,                                                       \
      "further cycles for that if threads' addresses differ (modern: 2)")                       \
    P(cycles, pipe_store_word, 0, 0, 64,                                                        \
      "further cycles for that for each 32 bits but the first (modern: 2)")                     \
    P(cycles, pipe_spread, 0, 0, 64,                                                            \
      "cycles from reading to asking if threads' addresses differ (modern: 1)")                 \
    P(choice, pipe_coalesce, "free", UNIT_CHOICES(PIPE_COALESCES), 0,                           \
      "what the address stage finds one of per cycle (CAMS 2023: one block)")                   \
    P(number, pipe_banks, 32, 1, 64, "banks of the L1 and the scratchpad; H200: 32")            \
    P(bytes, pipe_word, 4, 4, 32, "bytes that a bank of the L1 gives in one pass; H200: 4")     \
    P(bytes, pipe_scratch_word, 4, 4, 32, "the same of the scratchpad; H200: 4")                \
    P(bytes, pipe_line, 128, 32, 1024, "line of the L1, of which tags are looked up")           \
    P(flag, atomics_together, 0, 0, 1,                                                          \
      "threads' atomics on different words of a sector are one request, as those of an H200; "  \
      "else each is one")                                                                       \
    P(choice, pipe_return_by, "registers", UNIT_CHOICES(PIPE_RETURNS), 0,                       \
      "what comes back: whole registers of 32 bits of each thread (modern), or what each pass " \
      "over the banks gives (H200)")                                                            \
    P(bytes, pipe_return, 0, 0, 4096,                                                           \
      "bytes from memory written to registers per cycle; 0: all (modern: 64)")                  \
    P(bytes, pipe_scratch_return, 0, 0, 4096, "the same from the scratchpad")                   \
    P(cycles, pipe_return_wide, 0, 0, 64,                                                       \
      "further cycles until the next load is written, after one of more than 32 bits from "     \
      "memory (H200: 2)")

#define PIPE_STATS(S)                                                                           \
    S(bank_conflicts, "cycles", SUM, WORK, "passes over banks beyond the first of an access")   \
    S(lines, "lines", SUM, WORK, "lines that accesses touched")                                 \
    S(returning, "cycles", SUM, WORK, "cycles for which loads were being written to registers") \
    S(asked, "cycles", SUM, WORK, "access-cycles from asking the load/store unit to its grant")

enum pipe_kind { PIPE_KINDS(UNIT_CHOICE_VALUE, PIPE_) };
enum pipe_coalesce { PIPE_COALESCES(UNIT_CHOICE_VALUE, COALESCE_) };
enum pipe_return { PIPE_RETURNS(UNIT_CHOICE_VALUE, RETURN_) };

struct pipe_return_item {
    cycle at;
    u32 request;
};

/* Of a sub-core. */
struct subcore_pipe {
    bool staged;
    bool again;   /* there is more to send that no link refuses, or room for what is queued */
    u16 arbiter;  /* port, or PORT_NONE */
    u32 buffered; /* instructions from the address stage to their last request */
    u32 asking, sending;
    cycle next_read;                  /* when the address stage can read again */
    cycle returned;                   /* when the way to the registers is free */
    u16 ask[PIPE_BUFFER_MAX];         /* in order */
    u16 send[PIPE_BUFFER_MAX];        /* in the order in which they were granted */
    struct pipe_return_item *returns; /* ring, in order */
    u32 returns_first, returns_count;
};

/* Of a request. */
struct request_pipe {
    cycle due;    /* in the queue: when its registers are read; then: when it asks, or has asked */
    cycle first;  /* when its first piece was answered */
    u8 conflicts; /* passes over the banks */
    u8 lines;     /* that it touches */
    u8 rate;      /* pieces sent per cycle */
    bool uniform; /* all threads have the same address */
    u8 structure; /* that it goes to: an enum lsu_structure */
};

struct insn;
struct ogv_error;
struct subcore;
struct subcore_request;
struct unit;

bool pipe_init(struct subcore *u, struct ogv_error *error);
/* A request has issued and stands in the queue with all its pieces. */
void pipe_enter(struct subcore *u, struct subcore_request *request, cycle now);
void pipe_tick(struct subcore *u, cycle now);
/* When there is something to do. */
cycle pipe_next(const struct subcore *u, cycle now);
/* The load/store unit has given the request its structure, for so many passes. */
void pipe_granted(struct subcore *u, u32 number, u64 passes, cycle now);
/* All pieces are answered: whether it is still to be written to registers. */
bool pipe_returns(struct subcore *u, u32 number, cycle now);

#endif
