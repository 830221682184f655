/* cost.h - what each pixel of a frame takes, or each piece of a program's work, counted without
 * simulating the machine (functional.h), as numbers and as a picture. */
#ifndef RUN_COST_H
#define RUN_COST_H

#include "arch/system.h"
#include "run/functional.h"

struct pieces;

struct cost_options {
    const char *program; /* name, source file or ELF; NULL: what draws or traces the scene */
    const char *const *arguments;
    u32 argument_count;
    const struct world_options *world;
    bool world_given;            /* else there is a scene only if the machine has RT cores */
    const struct pieces *pieces; /* that are counted; NULL: all */
    struct visit_lists *lists;   /* of these pieces, of a scene not in treelets; NULL: unwanted */
    u32 threads;                 /* of the host; 0: as many as it has processors */
    void (*progress)(void *context, double done);
    void *context;
};

struct cost {
    struct functional work;
    u32 *numbers; /* of the pieces that were counted; NULL: all, in order */
    u32 *pixels;  /* by piece: its pixel, row by row from the top; NULL: pieces are none */
    u32 width, height;
};

/* The number of the i-th piece that was counted. */
static inline u64 cost_number(const struct cost *cost, u64 i)
{
    return cost->numbers ? cost->numbers[i] : i;
}

/* For what a machine would run with the same options. Says why a program has no pieces. */
bool cost_count(ogv_system *system, const struct cost_options *options, struct cost *cost,
                struct ogv_error *error);
void cost_fini(struct cost *cost);

/* Of all pieces. */
struct work cost_sum(const struct cost *cost);

/* A line for each piece. */
bool cost_write_table(const struct cost *cost, const char *path, struct ogv_error *error);

/* The steps of each pixel; only if pieces are pixels. */
bool cost_write_picture(const struct cost *cost, const char *path, struct ogv_error *error);

#endif
