/* pipeline_private.h - what was seen of a pipeline, for those who write it. */
#ifndef DEBUG_PIPELINE_PRIVATE_H
#define DEBUG_PIPELINE_PRIVATE_H

#include "base/text.h"
#include "debug/pipeline.h"
#include "ogive/debug.h"

#define STAGES_MAX 24 /* of one instruction; the last one then lasts */

/* What an instruction does from a cycle on. */
struct stage {
    cycle from;
    const char *name; /* a state of its thread, or "executes" */
    u8 blamed;        /* class that a state is charged to; CLASS_COUNT: none */
};

struct traced {
    u64 pc;
    struct insn insn; /* the text is gone when the files are written */
    u32 row;          /* thread, or warp */
    u64 lanes;        /* of a warp that executed it; 0: there are no warps */
    u64 writes;       /* registers */
    cycle begun;      /* it was next */
    cycle issued;     /* NEVER: not yet */
    cycle done;       /* NEVER: not yet */
    struct stage stages[STAGES_MAX];
    u32 stage_count;
};

struct trace_list {
    struct traced *items;
    u32 count, room;
};

/* Files of what was seen; `words` of an instruction are its disassembly. */
typedef void traced_words(const void *context, const struct traced *traced, char *buffer,
                          size_t size);
struct trace_source {
    const struct trace_list *list;
    const char *unit;
    cycle from, to;
    bool warps;
    traced_words *words;
    const void *context;
};

void kanata_write(const struct trace_source *source, struct text *out);
void pipeline_page(const struct trace_source *source, struct text *out);

#endif
