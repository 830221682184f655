/* tracer.h - units that trace rays: what they are asked and told before a run, and what rays and
 * hits are in messages.
 *
 * Such a unit, an RT core to whoever runs it, names a struct ray_role in its descriptor:
 *
 *     static const struct ray_role mine_rays = { .rays = "rays", .wants = mine_wants, ... };
 *     UNIT_TYPE(mine, MINE, "finds hits my way", .tick = mine_tick, .rays = &mine_rays)
 *
 * The run then builds the scene's tree as the unit wants it, puts it into the chip's memory, and
 * tells the unit where it lies. Its rays count in the rates and in the progress of a run, and
 * --trace-rays follows some of them. Cores send rays as messages (messages.h); the unit reads nodes
 * and blocks of primitives through a port to memory (memory.h), and knows what they mean from
 * rt_node.h, rt_primitive.h and rt_walk.h. */
#ifndef OGIVE_TRACER_H
#define OGIVE_TRACER_H

#include <string.h>

#include "ogive/messages.h"
#include "ogive/rt_formats.h"
#include "ogive/rt_ray.h"
#include "ogive/unit.h"

struct ray_traces;

/* The tree that a unit reads, known from its parameters alone. All units of a chip must want the
 * same formats. */
struct tree_wanted {
    u32 nodes;      /* enum rt_node_format */
    u32 primitives; /* enum rt_primitive_format */
    u32 builder; /* which of those that `ogive bvh --help` lists, from 0 on; --builder overrules */
    u32 treelet_bytes; /* of each of the treelets (rt_treelet.h) that the tree lies in; 0: none */
    u32 streams;       /* enum stream_mode: programs store rays and collect them finished
                          (stream_device.h), or there is none of it */
    bool software;     /* programs walk treelets themselves */
    bool pipelines;    /* with instructions that test boxes and triangles (rt_box.h) */
    u64 spill_bytes;   /* of memory for what does not fit into the unit, such as stacks */
};

/* Where the tree lies in the chip's memory: nodes, blocks of primitives, the blocks' numbers where
 * the format has them (rt_tri36), and the memory that was wanted for this unit alone, which begins
 * with a sector. In treelets, nodes and blocks are both the first of them; their headers lie apart.
 */
struct tree_place {
    u64 nodes, blocks, numbers, spill;
    u64 treelet_headers;
    u32 treelet_count, treelet_bytes; /* 0: none */
};

struct ray_role {
    /* The statistic that counts rays traced, without the empty ones. */
    const char *rays;

    /* Changes what it does not want as it is: bvh4, tri48, the standard builder, no treelets, no
     * spilling. */
    void (*wants)(const struct unit *unit, struct tree_wanted *wanted);

    /* Where the unit keeps where its tree lies, which is written there before the first cycle. */
    struct tree_place *(*tree)(struct unit *unit);

    /* Before the first cycle: keep traces of up to that many rays (ray_traces_create of
     * ray_trace.h); may be 0, to count them only. And what has been kept so far; NULL: nothing was
     * to be. Both are NULL where rays cannot be followed. */
    bool (*follow)(struct unit *unit, u32 limit, struct ogv_error *error);
    const struct ray_traces *(*followed)(const struct unit *unit);
};

/* For system_total: the statistic that counts rays, NULL if the type traces none. */
static inline const char *unit_ray_stat(const struct unit_type *type)
{
    return type->rays ? type->rays->rays : NULL;
}

/* The ray that a core sent. */
static inline struct rt_ray tracer_ray(const struct message *request)
{
    struct rt_ray ray;
    memcpy(&ray, request->data.real, sizeof ray);
    return ray;
}

/* Puts a hit into an answer: four single-precision registers of the core, whose upper halves are
 * all ones. */
static inline void tracer_hit(struct message *answer, const struct rt_hit *hit)
{
    u32 words[4];
    memcpy(words, hit, sizeof words);
    answer->size_bytes = MESSAGE_DATA_BYTES;
    for (u32 i = 0; i < 4; i++)
        answer->data.dword[i] = UINT64_C(0xffffffff00000000) | words[i];
}

#endif
