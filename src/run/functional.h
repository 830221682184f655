/* functional.h - a program run without a machine, to count what each piece of its work takes: a
 * number that `ogv_next` gave out, and all that the program did until it asked for the next one.
 *
 * There is no time. As many programs run as there are threads of the host, each as the only hart of
 * a memory of its own and with its part of the numbers; what they have in common is counted of the
 * first. So pieces must not depend on each other, which is what lets a part of them stand for the
 * whole. The counts depend on the program and its scene alone. */
#ifndef RUN_FUNCTIONAL_H
#define RUN_FUNCTIONAL_H

#include "run/world.h"

struct unit_pieces;

/* What a piece takes: instructions, and what RT cores do. X(name, help) */
#define FUNCTIONAL_WORK(X)                           \
    X(instructions, "executed by the program")       \
    X(rays, "traced by instructions for RT cores")   \
    X(nodes, "visited by these rays")                \
    X(blocks, "of primitives visited by these rays") \
    X(triangles, "tested by these rays")

struct work {
#define WORK_FIELD(name, help) u64 name;
    FUNCTIONAL_WORK(WORK_FIELD)
#undef WORK_FIELD
};

void work_add(struct work *sum, const struct work *part);

/* One number for it: instructions issued and steps of RT cores begun. */
u64 work_steps(const struct work *work);

/* What the rays of each piece visit, one ray after the other, as bvh_list has it, and before each
 * ray and behind the last what the program loads of the world and stores there: its sectors of 32
 * bytes, with BVH_LIST_LOAD, and its doublewords, with BVH_LIST_STORE. Loads of a sector that was
 * loaded just before need not be there. */
struct visit_lists {
    struct visit_list {
        u64 first, count;
        u32 runner;
    } * of; /* in the order of the pieces that were given out */
    u64 count;
    u32 **visits; /* by runner */
    u32 runners;
    u64 nodes, blocks; /* where these are in the world */
    u32 node_bytes, block_bytes;
};

void visit_lists_fini(struct visit_lists *lists);

struct functional_options {
    const char *file;  /* an ELF executable */
    const char *title; /* its argv[0] */
    const char *const *arguments;
    u32 argument_count;
    const struct world *world;                    /* with its tree; NULL: none */
    const struct unit_pieces *chosen;             /* numbers to give out; NULL: all */
    struct visit_lists *lists;                    /* of the chosen pieces; NULL: not wanted */
    u32 threads;                                  /* of the host; 0: as many as it has processors */
    void (*progress)(void *context, double done); /* 0 to 1, from any thread; may be NULL */
    void *context;
};

struct functional {
    struct work *pieces; /* by number, or in the order of the chosen ones */
    u64 count;
    struct work rest;                  /* of a hart besides its pieces */
    double wall_seconds, work_seconds; /* of the pass itself, with all loaded */
};

bool functional_run(const struct functional_options *options, struct functional *functional,
                    struct ogv_error *error);
void functional_fini(struct functional *functional);

#endif
