/* difference.h - JSON trees side by side: where they are not the same. */
#ifndef RESULT_DIFFERENCE_H
#define RESULT_DIFFERENCE_H

#include <jansson.h>

#include "base/text.h"
#include "ogive/types.h"

#define DIFFERENCE_TREES_MAX 16

/* The same place in each tree; NULL where there is none. */
struct difference {
    const char *path; /* "sm.l1.size", "links[3].latency_cycles" */
    const json_t *of[DIFFERENCE_TREES_MAX];
};

struct difference_visitor {
    /* Called for each difference, in the order of the first tree that has it. */
    void (*visit)(void *context, const struct difference *difference);
    void *context;
    /* What only some trees have is one difference, however much is below it; else each leaf is. */
    bool whole;
};

void difference_walk(const json_t *const *trees, u32 count,
                     const struct difference_visitor *visitor);

/* A leaf in words; "-" for NULL. */
void difference_words(const json_t *leaf, struct text *out);

/* The text of a table ("int_mul: muldiv, load: l1") as an object with an entry for each line; NULL
 * if it is none. */
json_t *table_split(const char *text);

#endif
