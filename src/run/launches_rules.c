/* launches_rules.c - see launches_rules.h.
 *
 * A launch on the card has arguments that its profiler does not tell. Those of most kernels follow
 * from the grid, which covers all elements. A kernel whose grid does not depend on its size reads
 * every element once, in sectors of eight. */
#include "run/launches_rules.h"

#include <math.h>
#include <string.h>

#include "base/text.h"

#define ELEMENTS_MAX    (UINT32_C(1) << 26)
#define SIDE_MAX        (UINT32_C(1) << 13)
#define THREADS_MOST    1024 /* of a block */
#define SECTOR_ELEMENTS 8
#define LINE_SECTORS    4  /* of a warp's load without a stride */
#define STRIDE_MOST     8  /* from here on every thread has a sector of its own */
#define STRIDE_SECTORS  32 /* and a warp's load so many */
#define COLD_MIB        64 /* more than the card's L2: its profiler empties all caches */

enum launch_size {
    SIZE_THREADS, /* an element for each thread of the grid */
    SIZE_LOADS,   /* every element is loaded once, whatever the grid */
    SIZE_SQUARE,  /* elements of a square, `tile` of them for a block */
    SIZE_BLOCKS,  /* counts blocks */
};

struct launch_rule {
    const char *kernel;
    enum launch_size size;
    u32 block[2]; /* that the kernel is written for; 0: any, in one dimension */
    u32 tile[2];
    u32 most; /* of the size */
};

static const struct launch_rule rules[] = {
    { "vector_add", SIZE_THREADS, { 0, 1 }, { 0, 0 }, ELEMENTS_MAX },
    { "strided_read", SIZE_THREADS, { 0, 1 }, { 0, 0 }, ELEMENTS_MAX / 2 },
    { "gather", SIZE_THREADS, { 0, 1 }, { 0, 0 }, ELEMENTS_MAX },
    { "reduce", SIZE_LOADS, { 256, 1 }, { 0, 0 }, ELEMENTS_MAX },
    { "transpose_plain", SIZE_SQUARE, { 32, 8 }, { 32, 32 }, SIDE_MAX },
    { "transpose_tiled", SIZE_SQUARE, { 32, 8 }, { 32, 32 }, SIDE_MAX },
    { "matmul_plain", SIZE_SQUARE, { 16, 16 }, { 16, 16 }, SIDE_MAX },
    { "matmul_tiled", SIZE_SQUARE, { 16, 16 }, { 16, 16 }, SIDE_MAX },
    { "histogram_global", SIZE_LOADS, { 0, 1 }, { 0, 0 }, ELEMENTS_MAX },
    { "histogram_shared", SIZE_LOADS, { 256, 1 }, { 0, 0 }, ELEMENTS_MAX },
    { "mandelbrot", SIZE_SQUARE, { 8, 8 }, { 8, 8 }, SIDE_MAX },
    { "nbody", SIZE_THREADS, { 128, 1 }, { 0, 0 }, 1u << 16 },
    { "stencil", SIZE_SQUARE, { 32, 8 }, { 32, 8 }, SIDE_MAX },
    { "spmv", SIZE_THREADS, { 0, 1 }, { 0, 0 }, 1u << 22 },
    { "bfs_level", SIZE_THREADS, { 0, 1 }, { 0, 0 }, 1u << 22 },
    { "floyd_step", SIZE_SQUARE, { 16, 16 }, { 16, 16 }, SIDE_MAX },
    { "bitonic", SIZE_BLOCKS, { 1024, 1 }, { 0, 0 }, 1u << 16 },
};
#define RULES (sizeof rules / sizeof *rules)

static const struct launch_rule *rule_find(const char *kernel, char **reason)
{
    struct nearest nearest;
    char hint[128];
    nearest_init(&nearest, kernel);
    for (size_t i = 0; i < RULES; i++) {
        if (!strcmp(rules[i].kernel, kernel))
            return &rules[i];
        nearest_offer(&nearest, rules[i].kernel);
    }
    *reason =
        text_format("no kernel '%s' is known%s", kernel, nearest_hint(&nearest, hint, sizeof hint));
    return NULL;
}

static bool block_fits(const struct launch_rule *rule, const struct launch_shape *shape,
                       char **reason)
{
    const u32 *block = shape->block;
    bool any = !rule->block[0];
    if (block[2] == 1 && block[1] == rule->block[1] && block[0] >= 1 && block[0] <= THREADS_MOST &&
        (any || block[0] == rule->block[0]))
        return true;
    if (any)
        *reason = text_format("its blocks have 1 to %d threads in one dimension", THREADS_MOST);
    else
        *reason = text_format("it is written for blocks of %u x %u threads", rule->block[0],
                              rule->block[1]);
    return false;
}

static bool grid_fits(const struct launch_rule *rule, const struct launch_shape *shape,
                      char **reason)
{
    const u32 *grid = shape->grid;
    u64 width = (u64)grid[0] * rule->tile[0], height = (u64)grid[1] * rule->tile[1];
    bool square = rule->size == SIZE_SQUARE;
    if (grid[0] && grid[2] == 1 && (square ? width == height : grid[1] == 1))
        return true;
    *reason = heap_copy(square ? "its grid covers no square" : "its grid has one dimension");
    return false;
}

static bool size_tell(const struct launch_rule *rule, const struct launch_shape *shape, u32 *size,
                      char **reason)
{
    double elements = rule->size == SIZE_THREADS  ? (double)shape->grid[0] * shape->block[0]
                      : rule->size == SIZE_LOADS  ? shape->sectors * SECTOR_ELEMENTS
                      : rule->size == SIZE_SQUARE ? (double)shape->grid[0] * rule->tile[0]
                                                  : shape->grid[0];
    *size = elements >= 1 && elements <= rule->most ? (u32)elements : 0;
    if (!*size)
        *reason = text_format("size %.0f: has to be 1 to %u", elements, rule->most);
    return *size;
}

/* From the sectors of a warp's load; where each thread has one of its own, the distance is told by
 * how much of the array was read. */
static bool stride_tell(const struct launch_shape *shape, u32 size, u32 *stride, char **reason)
{
    double sectors = shape->requests > 0 ? shape->sectors / shape->requests : 0;
    double told = round(sectors / LINE_SECTORS), each = (double)size * 32;
    bool whole = sectors < STRIDE_SECTORS || shape->dram_read > 0.75 * each;
    *stride = told >= 1 && told <= STRIDE_MOST && whole ? (u32)told : 0;
    if (!*stride)
        *reason = text_format("its stride does not follow from %.1f sectors for a load", sectors);
    return *stride;
}

char *launch_arguments(const struct launch_shape *shape, char **reason)
{
    const struct launch_rule *rule = rule_find(shape->kernel, reason);
    u32 size, stride = 0;
    if (!rule || !block_fits(rule, shape, reason) || !grid_fits(rule, shape, reason) ||
        !size_tell(rule, shape, &size, reason) ||
        (!strcmp(rule->kernel, "strided_read") && !stride_tell(shape, size, &stride, reason)))
        return NULL;
    struct text out = { 0 };
    text_add(&out, "%s %u flush=%d unchecked", rule->kernel, size, COLD_MIB);
    if (rule->size == SIZE_LOADS)
        text_add(&out, " blocks=%u", shape->grid[0]);
    if (!rule->block[0])
        text_add(&out, " threads=%u", shape->block[0]);
    if (stride)
        text_add(&out, " stride=%u", stride);
    return out.chars;
}
