/* pipelines.h - the pipelines that execute a sub-core's instructions: which kinds of instructions
 * share one, and for how long an instruction occupies it.
 *
 * A pipeline with fewer lanes than a warp has threads takes an instruction in several parts, one
 * after the other, and so does the latch in front of it. Always true: a pipeline begins no
 * instruction before all parts of the one before it have entered. */
#ifndef UNIT_SUBCORE_PIPELINES_H
#define UNIT_SUBCORE_PIPELINES_H

#include "unit/parts/executors.h"

#define PIPES_PARAMS(P)                                                                           \
    P(table, interval, "", 0, 4096,                                                               \
      "cycles from an instruction of a class to the next that its pipeline takes (default 1)")    \
    P(table, lanes, "", 0, 4096,                                                                  \
      "lanes of the pipeline that executes a class: it is occupied for `interval` cycles per so " \
      "many threads of a warp (default: as many as a warp has)")                                  \
    P(table, pipe_as, "", 0, 4096,                                                                \
      "classes that go through the pipeline of another class, as `fp_sqrt: fp_div`; double "      \
      "precision (`fp64.CLASS`) goes where single does, if not said")

struct pipes {
    cycle all_free_at;
    cycle free_at[KIND_COUNT]; /* of a pipeline: when it takes the next one */
    u16 occupied[KIND_COUNT];  /* of a kind: cycles */
    u8 of[KIND_COUNT];         /* its pipeline */
};

bool pipes_read(struct pipes *pipes, const char *interval, const char *lanes, const char *pipe,
                u32 width, struct ogv_error *error);

/* From when on an instruction can go into its pipeline; mostly all are free. */
static inline cycle pipes_free_at(const struct pipes *pipes, const struct insn *insn, cycle now)
{
    return pipes->all_free_at <= now ? now : pipes->free_at[pipes->of[insn_kind(insn)]];
}

static inline void pipes_take(struct pipes *pipes, const struct insn *insn, cycle now)
{
    u32 kind = insn_kind(insn);
    cycle free_at = now + pipes->occupied[kind];
    pipes->free_at[pipes->of[kind]] = free_at;
    pipes->all_free_at = max_u64(pipes->all_free_at, free_at);
}

#endif
