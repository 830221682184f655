/* explain.h - how a unit type explains what its units do: rows that ranking, trees, sentences and
 * the summary of a run are made of. Whoever reads them knows no type by its name.
 *
 *     static const struct resource_row sfu_resources[] = {
 *         { .name = "pipelines", .kind = RESOURCE_WORK, .capacity = "width", .used = "busy",
 *           .held = "users_room + users_answer" },
 *         { 0 },
 *     };
 *     UNIT_TYPE(sfu, SFU, "shared functional unit", ..., .resources = sfu_resources)
 *
 * A formula has names of statistics and parameters, numbers, + - * / and parentheses; a quotient by
 * zero is 0. Where both have the same name, a capacity means the parameter and all others the
 * statistic. A type whose rows name anything else is refused when it is loaded. */
#ifndef OGIVE_EXPLAIN_H
#define OGIVE_EXPLAIN_H

#include "ogive/types.h"

/* ---- Resources: what a unit has that others wait for ---- */

enum resource_kind {
    RESOURCE_WORK,  /* something is done with it, so much per cycle at most */
    RESOURCE_ROOM,  /* something stays in it for a while, so many at most */
    RESOURCE_DELAY, /* it only takes time */
    RESOURCE_LINKS, /* the links on which it asks others: `used` is the requests that went there,
                     * each of which takes their latency there and back */
    RESOURCE_KINDS,
};

struct resource_row {
    const char *name; /* "bandwidth" */
    enum resource_kind kind;

    /* Formulas; NULL: not known. The capacity is of parameters, for each cycle of one unit; or, if
     * it names a statistic, for the whole run. What was used is of statistics. Where all of it is
     * used, reports offer twice the last parameter of the capacity as what to try: put the one that
     * is easiest to have more of there. */
    const char *capacity, *used;

    /* The cycles that those who pass spent here. Of a unit on the way to memory (it has `toward` or
     * `stored`), those of requests; of one with an account, those of its own threads or rays. Or
     * what those who use the unit waited, by their own accounts: users_room is for room in it,
     * users_answer for its answers; such a formula has no other names. A resource that rows of the
     * account are charged at has none. The first parameter in cycles is what reports offer half of,
     * where time only passes. */
    const char *held;

    /* Of a delay whose use is a share: "of requests found another row open". */
    const char *words;
};

/* ---- Accounts: where the cycles of a unit's threads or rays went ----
 *
 * Trees, each row behind the one that it is a part of. The first tree of a type is what its threads
 * or rays did, and the leaves are charged to what they waited for; others are further views of the
 * same unit. */
enum account_charge {
    ACCOUNT_PARTS,  /* to what its parts are charged to; or, in further trees, to nothing */
    ACCOUNT_WORK,   /* got on */
    ACCOUNT_OVER,   /* had ended */
    ACCOUNT_OWN,    /* waited at the unit's own resource `at` */
    ACCOUNT_MEMORY, /* waited for memory */
    ACCOUNT_ROOM,   /* waited for room in the unit that `awaits` gives for the statistic; where it
                     * gives none, at the own resource `at` */
    ACCOUNT_ANSWER, /* the same for an answer of that unit */
    ACCOUNT_CHARGES,
};

struct account_row {
    u32 depth;         /* 0: begins a tree */
    const char *stat;  /* NULL: the sum of its parts */
    const char *words; /* "ready, another thread issued"; of a tree, "thread-cycles of all cores" */
    enum account_charge charge;
    const char *at;   /* a resource of the same type */
    const char *rest; /* of a tree: what its parts leave over; NULL: "not accounted for" */
};

/* ---- Figures: the few numbers that sum up a run ---- */

/* F(name, what it is where nothing adds to it) */
#define RUN_FIGURES(F)           \
    F(l1_hit_rate, NAN)          \
    F(l1_half_miss_rate, NAN)    \
    F(l2_hit_rate, NAN)          \
    F(l2_half_miss_rate, NAN)    \
    F(l2_bandwidth_share, NAN)   \
    F(dram_bandwidth_share, NAN) \
    F(dram_efficiency, NAN)      \
    F(dram_read_bytes, 0)        \
    F(dram_write_bytes, 0)       \
    F(ipc_per_core, NAN)         \
    F(nodes_per_ray, NAN)        \
    F(triangles_per_ray, NAN)

/* Adds to one of them: the sum of `above` over all units by the sum of `below`, or without it the
 * sum itself. In a name, {level} stands for the value of the parameter `level`: caches of the third
 * level then add to none. In both formulas, `cycles` is the length of the run in the unit's own
 * clock, unless a statistic is called so. */
struct figure_row {
    const char *figure, *above, *below;
};

#endif
