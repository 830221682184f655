/* hlbvh.c - codes, a radix sort of them, clusters, and a subtree for each cluster. Codes and
 * subtrees are made side by side; the result does not depend on how many threads do it. */
#include "rt/hlbvh.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "rt/parallel.h"

#define AXIS_BITS  10 /* of a code, per axis */
#define GRID_BITS  4  /* of these, the upper ones, say which cell of the grid */
#define CODE_STEP  65536
#define DIGIT_BITS 10 /* of a code that are sorted by at a time */

struct coded {
    u32 code, triangle;
};

struct build {
    const struct binary_rules *rules;
    struct coded *coded; /* [triangle] by code, then by number */
    char *nodes;         /* [triangle] */
    size_t node_bytes;
    u32 *first; /* [cluster + 1] in `coded` */
    struct hlbvh *out;
    struct box centres; /* their bounds */
};

static float box_centre(const struct box *box, u32 axis)
{
    return 0.5f * box->low[axis] + 0.5f * box->high[axis];
}

/* ---- Codes ---- */

static void bound_centres(struct build *build)
{
    const struct mesh *mesh = build->rules->mesh;
    struct box *all = &build->centres;
    *all = (struct box){ { INFINITY, INFINITY, INFINITY }, { -INFINITY, -INFINITY, -INFINITY } };
    for (u32 i = 0; i < mesh->triangle_count; i++) {
        struct box box = binary_triangle_box(mesh, i);
        for (u32 k = 0; k < 3; k++) {
            all->low[k] = fminf(all->low[k], box_centre(&box, k));
            all->high[k] = fmaxf(all->high[k], box_centre(&box, k));
        }
    }
}

/* Moves the lowest ten bits three places apart. */
static u32 bits_spread(u32 bits)
{
    bits = (bits | bits << 16) & 0x030000ff;
    bits = (bits | bits << 8) & 0x0300f00f;
    bits = (bits | bits << 4) & 0x030c30c3;
    return (bits | bits << 2) & 0x09249249;
}

static u32 code_of(const struct build *build, const struct box *box)
{
    const u32 cells = 1 << AXIS_BITS;
    u32 code = 0;
    for (u32 k = 0; k < 3; k++) {
        double low = (double)build->centres.low[k], high = (double)build->centres.high[k];
        double part = high > low ? ((double)box_centre(box, k) - low) / (high - low) : 0;
        u32 cell = (u32)min_u64((u64)(part * cells), cells - 1);
        code |= bits_spread(cell) << (2 - k);
    }
    return code;
}

static void code_step(void *context, u32 step)
{
    struct build *build = context;
    const struct mesh *mesh = build->rules->mesh;
    u64 end = min_u64(((u64)step + 1) * CODE_STEP, mesh->triangle_count);
    for (u64 i = (u64)step * CODE_STEP; i < end; i++) {
        struct box box = binary_triangle_box(mesh, (u32)i);
        build->coded[i] = (struct coded){ code_of(build, &box), (u32)i };
    }
}

/* By one digit of the codes, otherwise in the order in which they are. */
static void sort_by_digit(const struct coded *from, struct coded *to, u64 count, u32 shift)
{
    const u32 mask = (1 << DIGIT_BITS) - 1;
    u64 places[(1 << DIGIT_BITS) + 1] = { 0 };
    for (u64 i = 0; i < count; i++)
        places[(from[i].code >> shift & mask) + 1]++;
    for (u32 digit = 0; digit < mask; digit++)
        places[digit + 1] += places[digit];
    for (u64 i = 0; i < count; i++)
        to[places[from[i].code >> shift & mask]++] = from[i];
}

static void sort_codes(struct build *build, u64 count)
{
    struct coded *other = heap_array(count, sizeof *other);
    for (u32 shift = 0; shift < 3 * AXIS_BITS; shift += DIGIT_BITS) {
        struct coded *sorted = other;
        sort_by_digit(build->coded, sorted, count, shift);
        other = build->coded;
        build->coded = sorted;
    }
    free(other);
}

/* ---- Subtrees ---- */

/* The last of the first half of [first, last]: where the highest bit changes in which their codes
 * differ, or the middle if they are all equal. */
static u32 range_split(const struct coded *coded, u32 first, u32 last)
{
    u32 differ = coded[first].code ^ coded[last].code;
    if (!differ)
        return first + (last - first) / 2;
    u32 bit = UINT32_C(1) << (31 - __builtin_clz(differ));
    while (last - first > 1) {
        u32 middle = first + (last - first) / 2;
        if (coded[middle].code & bit)
            last = middle;
        else
            first = middle;
    }
    return first;
}

/* Every range of two or more is split at another place, which is the number of its node. */
static binary_ref range_build(const struct build *build, u32 first, u32 last, struct box *box)
{
    if (first == last) {
        *box = binary_triangle_box(build->rules->mesh, build->coded[first].triangle);
        return binary_ref_triangle(build->coded[first].triangle);
    }
    u32 split = range_split(build->coded, first, last);
    struct binary_node *node = (struct binary_node *)(build->nodes + split * build->node_bytes);
    node->children[0] = range_build(build, first, split, &node->boxes[0]);
    node->children[1] = range_build(build, split + 1, last, &node->boxes[1]);
    binary_settle(build->rules, node);
    *box = box_union(&node->boxes[0], &node->boxes[1]);
    return (binary_ref)node;
}

static void cluster_build(void *context, u32 number)
{
    const struct build *build = context;
    struct hlbvh *out = build->out;
    out->roots[number] =
        range_build(build, build->first[number], build->first[number + 1] - 1, &out->boxes[number]);
}

static void find_clusters(struct build *build, u32 count)
{
    const u32 shift = 3 * (AXIS_BITS - GRID_BITS), cells = 1 << 3 * GRID_BITS;
    const struct coded *coded = build->coded;
    u32 found = 0;
    build->first = heap_array(min_u64(count, cells) + 1, sizeof *build->first);
    for (u32 i = 0; i < count; i++)
        if (!i || coded[i].code >> shift != coded[i - 1].code >> shift)
            build->first[found++] = i;
    build->first[found] = count;
    build->out->count = found;
}

void hlbvh_free(struct hlbvh *hlbvh)
{
    free(hlbvh->roots);
    free(hlbvh->boxes);
}

static bool clusters_build(struct build *build, u32 count, u32 threads)
{
    struct hlbvh *out = build->out;
    sort_codes(build, count);
    find_clusters(build, count);
    out->roots = heap_array(out->count, sizeof *out->roots);
    out->boxes = heap_array(out->count, sizeof *out->boxes);
    return parallel_run(threads, out->count, cluster_build, build);
}

struct hlbvh hlbvh_build(const struct binary_rules *rules, size_t node_bytes, u32 threads)
{
    u32 count = (u32)rules->mesh->triangle_count;
    struct hlbvh hlbvh = { .nodes = heap_array(count, node_bytes) };
    struct build build = { .rules = rules,
                           .coded = heap_array(count, sizeof *build.coded),
                           .nodes = hlbvh.nodes,
                           .node_bytes = node_bytes,
                           .out = &hlbvh };
    bound_centres(&build);
    if (parallel_run(threads, (u32)(((u64)count + CODE_STEP - 1) / CODE_STEP), code_step, &build))
        hlbvh.complete = clusters_build(&build, count, threads);
    if (!hlbvh.complete)
        hlbvh.count = 0;
    free(build.first);
    free(build.coded);
    return hlbvh;
}
