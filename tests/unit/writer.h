/* writer.h - programs that are made up instruction by instruction, at random. */
#ifndef TESTS_UNIT_WRITER_H
#define TESTS_UNIT_WRITER_H

#include "ogive/random.h"
#include "unit/bench_core.h"

#define TEXT_MAX 512

struct writer {
    u32 text[TEXT_MAX];
    u32 count;
    u64 random;
    bool alone;   /* only what the interpreter can do too */
    bool plain;   /* mostly what touches registers only */
    bool crowded; /* mostly loads and stores */
};

static inline void add(struct writer *w, u32 code)
{
    assert_true(w->count < TEXT_MAX);
    w->text[w->count++] = code;
}

static inline u32 below(struct writer *w, u64 limit)
{
    return (u32)random_below(&w->random, limit);
}

#endif
