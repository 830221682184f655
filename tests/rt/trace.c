/* trace.c - walks with every size of stack visit the same leaves in the same order, and bvh_trace
 * finds what a look at all triangles finds. Trees of random triangles, split at the median. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ogive/rt_node.h"
#include "ogive/rt_primitive.h"
#include "random_values.h"
#include "rt/bvh.h"

#define TRIANGLES 600
#define VISITS    4096

static float vertices[3 * TRIANGLES][3];
static u32 corners[TRIANGLES][3], order[TRIANGLES], numbers[TRIANGLES];
static const struct mesh mesh = { .vertices = vertices,
                                  .triangles = corners,
                                  .vertex_count = 3 * TRIANGLES,
                                  .triangle_count = TRIANGLES };

/* On a coarse grid boxes share planes, and rays enter several at the same distance. */
static void mesh_fill(u64 *state, bool snap)
{
    for (u32 i = 0; i < TRIANGLES; i++) {
        float size = ldexpf(1, -(int)random_below(state, 6));
        for (u32 corner = 0; corner < 3; corner++) {
            corners[i][corner] = 3 * i + corner;
            for (int axis = 0; axis < 3; axis++)
                vertices[3 * i + corner][axis] =
                    corner ? vertices[3 * i][axis] + size * value_between(state, -1, 1)
                           : value_between(state, -4, 4);
            for (int axis = 0; snap && axis < 3; axis++)
                vertices[3 * i + corner][axis] = rintf(vertices[3 * i + corner][axis]);
        }
        order[i] = i;
    }
    for (u32 i = 0; i < 20; i++) /* the same triangle twice */
        memcpy(vertices[3 * (TRIANGLES - 1 - i)], vertices[3 * i], sizeof vertices[0] * 3);
}

/* ---- Trees ---- */

static int sort_axis;

static int centre_compare(const void *a, const void *b)
{
    float p = vertices[3 * *(const u32 *)a][sort_axis];
    float q = vertices[3 * *(const u32 *)b][sort_axis];
    return (p > q) - (p < q);
}

static struct box range_bounds(u32 first, u32 end)
{
    struct box box = { { INFINITY, INFINITY, INFINITY }, { -INFINITY, -INFINITY, -INFINITY } };
    for (u32 i = first; i < end; i++)
        for (u32 k = 0; k < 9; k++) {
            float value = vertices[3 * order[i] + k / 3][k % 3];
            box.low[k % 3] = fminf(box.low[k % 3], value);
            box.high[k % 3] = fmaxf(box.high[k % 3], value);
        }
    return box;
}

static u32 leaf_make(struct bvh *bvh, u32 first, u32 end)
{
    const struct primitive_format *format = bvh->primitives_format;
    u32 start = (u32)bvh->block_count;
    while (first < end) {
        u8 *out = (u8 *)bvh->blocks + bvh->block_count * format->bytes;
        numbers[bvh->block_count++] = order[first];
        first += format->encode(&mesh, order + first, end - first, out);
    }
    return rt_ref_leaf(start, (u32)bvh->block_count - start);
}

/* Cuts into as many parts as a node has children, less if there are not as many triangles. Numbers
 * children one after the other before what is below them. */
static void node_make(struct bvh *bvh, u32 number, u32 first, u32 end, int axis)
{
    struct wide_node node = { .count = bvh->nodes_format->width };
    u32 bounds[RT_CHILDREN_MAX + 1];
    if (node.count > end - first)
        node.count = end - first;
    sort_axis = axis;
    qsort(order + first, end - first, sizeof order[0], centre_compare);
    for (u32 i = 0; i <= node.count; i++)
        bounds[i] = first + (end - first) * i / node.count;
    for (u32 i = 0; i < node.count; i++) {
        node.children[i].box = range_bounds(bounds[i], bounds[i + 1]);
        bool leaf = bounds[i + 1] - bounds[i] <= 2;
        node.children[i].ref =
            leaf ? leaf_make(bvh, bounds[i], bounds[i + 1]) : (u32)bvh->node_count++;
    }
    bvh->nodes_format->encode(&node, (u8 *)bvh->nodes + number * bvh->nodes_format->bytes);
    for (u32 i = 0; i < node.count; i++)
        if (!rt_ref_is_leaf(node.children[i].ref))
            node_make(bvh, node.children[i].ref, bounds[i], bounds[i + 1], (axis + 1) % 3);
}

static struct bvh tree_make(const struct node_format *nodes,
                            const struct primitive_format *primitives)
{
    struct bvh bvh = { .nodes_format = nodes, .primitives_format = primitives };
    bvh.nodes = aligned_alloc(128, 128 * 2 * (u64)TRIANGLES * 2);
    bvh.blocks = aligned_alloc(128, 128 * (u64)TRIANGLES);
    bvh.numbers = primitives->numbers ? numbers : NULL;
    bvh.node_count = 1;
    node_make(&bvh, 0, 0, TRIANGLES, 0);
    return bvh;
}

static void tree_free(struct bvh *bvh)
{
    free(bvh->nodes);
    free(bvh->blocks);
}

static struct rt_ray ray_any(u64 *state)
{
    struct rt_ray ray = { .t_max = INFINITY };
    for (int axis = 0; axis < 3; axis++) {
        ray.origin[axis] = value_between(state, -6, 6);
        ray.direction[axis] = random_below(state, 5) ? value_between(state, -1, 1) : 0;
    }
    if (random_below(state, 4) == 0) /* from a triangle */
        memcpy(ray.origin, vertices[random_below(state, 3 * TRIANGLES)], sizeof ray.origin);
    return ray;
}

/* ---- Walks ---- */

struct visits {
    u32 leaves[VISITS], count;
};

static void leaf_visit(const struct bvh *bvh, const struct rt_ray *ray, u32 ref, struct rt_hit *hit,
                       struct visits *visits)
{
    const struct primitive_format *format = bvh->primitives_format;
    assert_true(visits->count < VISITS);
    visits->leaves[visits->count++] = ref;
    for (u32 i = rt_ref_first(ref); i < rt_ref_first(ref) + rt_ref_count(ref); i++)
        format->test((const u8 *)bvh->blocks + i * format->bytes, numbers[i], ray, hit);
}

/* The walk that all others have to equal: by recursion. */
static void visit_all(const struct bvh *bvh, const struct rt_ray *ray, u32 ref, struct rt_hit *hit,
                      struct visits *visits)
{
    if (rt_ref_is_leaf(ref)) {
        leaf_visit(bvh, ray, ref, hit, visits);
        return;
    }
    struct rt_child children[RT_CHILDREN_MAX];
    struct rt_slab slab = rt_slab_make(ray);
    const u8 *node = (const u8 *)bvh->nodes + ref * bvh->nodes_format->bytes;
    u32 count = bvh->nodes_format->test(node, &slab, hit->t, NULL, children);
    rt_children_sort(children, count);
    for (u32 i = 0; i < count; i++)
        if (children[i].t <= hit->t)
            visit_all(bvh, ray, children[i].ref, hit, visits);
}

static u32 visit_short(const struct bvh *bvh, const struct rt_ray *ray, u32 capacity,
                       struct rt_hit *hit, struct visits *visits)
{
    struct rt_child stack[32], entry, children[RT_CHILDREN_MAX];
    struct rt_slab slab = rt_slab_make(ray);
    struct rt_walk walk;
    enum rt_visit visit;
    rt_walk_begin(&walk, stack, capacity);
    while ((visit = rt_walk_next(&walk, hit->t, &entry)) != RT_VISIT_END) {
        if (visit == RT_VISIT_CULLED)
            continue;
        if (rt_ref_is_leaf(entry.ref)) {
            leaf_visit(bvh, ray, entry.ref, hit, visits);
            continue;
        }
        const u8 *node = (const u8 *)bvh->nodes + entry.ref * bvh->nodes_format->bytes;
        rt_walk_children(&walk, children,
                         bvh->nodes_format->test(node, &slab, hit->t, NULL, children));
    }
    return walk.restarts;
}

static void stacks_check(const struct bvh *bvh, const struct rt_ray *ray, u64 *restarts)
{
    static struct visits all, these;
    struct rt_hit hit = rt_hit_none(ray);
    all.count = 0;
    visit_all(bvh, ray, 0, &hit, &all);
    for (u32 capacity = 1; capacity <= 32; capacity++) {
        struct rt_hit found = rt_hit_none(ray);
        these.count = 0;
        *restarts += visit_short(bvh, ray, capacity, &found, &these);
        assert_int_equal(these.count, all.count);
        assert_memory_equal(these.leaves, all.leaves, all.count * sizeof all.leaves[0]);
        assert_memory_equal(&found, &hit, sizeof hit);
    }
}

static void every_stack_visits_the_same_leaves(void **unused)
{
    (void)unused;
    const struct primitive_format *primitives = primitive_format_find("tri64", NULL);
    u64 state = 10, restarts = 0;
    for (u32 f = 0; node_formats[f]; f++) {
        mesh_fill(&state, f % 2);
        struct bvh bvh = tree_make(node_formats[f], primitives);
        for (int i = 0; i < 60; i++) {
            struct rt_ray ray = ray_any(&state);
            stacks_check(&bvh, &ray, &restarts);
        }
        tree_free(&bvh);
    }
    assert_true(restarts > 1000);
}

/* ---- bvh_trace ---- */

static struct rt_hit closest_of_all(const struct rt_ray *ray)
{
    struct rt_shear shear = rt_shear_make(ray);
    struct rt_hit hit = rt_hit_none(ray);
    for (u32 i = 0; i < TRIANGLES; i++)
        rt_triangle_watertight(&shear, vertices[3 * i], vertices[3 * i + 1], vertices[3 * i + 2], i,
                               &hit);
    return hit;
}

/* The same hit. Formats that keep numbers apart know triangles by their blocks during a walk, so of
 * two triangles at the same distance they may answer with the other one. */
static void hit_check(const struct bvh *bvh, const struct rt_hit *hit,
                      const struct rt_hit *expected)
{
    assert_true(hit->t == expected->t);
    if (!bvh->primitives_format->numbers)
        assert_memory_equal(hit, expected, sizeof *hit);
}

static void trace_check(const struct bvh *bvh, const struct rt_ray *ray)
{
    static const u32 stacks[] = { 1, 2, 7, 32, 1000 };
    struct bvh_visits full = { 0 };
    struct rt_hit expected = closest_of_all(ray), hit = bvh_trace(bvh, ray, 0, false, &full);
    hit_check(bvh, &hit, &expected);
    for (u32 i = 0; i < sizeof stacks / sizeof stacks[0]; i++) {
        struct bvh_visits visits = { 0 };
        hit = bvh_trace(bvh, ray, stacks[i], false, &visits);
        hit_check(bvh, &hit, &expected);
        assert_true(visits.blocks == full.blocks && visits.triangles == full.triangles);
        assert_true(visits.nodes >= full.nodes);
        if (!visits.restarts)
            assert_true(visits.nodes == full.nodes && visits.culled == full.culled);
        hit = bvh_trace(bvh, ray, stacks[i], true, NULL);
        assert_int_equal(hit.triangle == RT_NOTHING, expected.triangle == RT_NOTHING);
    }
}

static void closest_hits_of_every_pair_of_formats(void **unused)
{
    (void)unused;
    u64 state = 11;
    for (u32 f = 0; node_formats[f]; f++)
        for (u32 p = 0; primitive_formats[p]; p++) {
            mesh_fill(&state, p % 2);
            struct bvh bvh = tree_make(node_formats[f], primitive_formats[p]);
            for (int i = 0; i < 300; i++) {
                struct rt_ray ray = ray_any(&state);
                trace_check(&bvh, &ray);
            }
            tree_free(&bvh);
        }
}

static void smallest_trees(void **unused)
{
    (void)unused;
    _Alignas(128) u8 node[256], block[128];
    u64 state = 12;
    mesh_fill(&state, false);
    struct rt_ray ray = { .t_max = INFINITY };
    for (int axis = 0; axis < 3; axis++) {
        ray.origin[axis] = 9;
        for (int corner = 0; corner < 3; corner++)
            ray.direction[axis] += vertices[corner][axis] / 3;
        ray.direction[axis] -= 9;
    }
    for (u32 f = 0; node_formats[f]; f++)
        for (u32 p = 0; primitive_formats[p]; p++) {
            struct bvh bvh = { .nodes_format = node_formats[f],
                               .nodes = node,
                               .blocks = block,
                               .primitives_format = primitive_formats[p],

                               .numbers = primitive_formats[p]->numbers ? numbers : NULL };
            struct wide_node root = { .count = 0 };
            node_formats[f]->encode(&root, node);
            assert_int_equal(bvh_trace(&bvh, &ray, 0, false, NULL).triangle, RT_NOTHING);
            assert_int_equal(bvh_trace(&bvh, &ray, 1, false, NULL).triangle, RT_NOTHING);
            root = (struct wide_node){ .count = 1 };
            root.children[0] = (struct wide_child){ range_bounds(0, 1), rt_ref_leaf(0, 1) };
            numbers[0] = 0;
            primitive_formats[p]->encode(&mesh, order, 1, block);
            node_formats[f]->encode(&root, node);
            assert_int_equal(bvh_trace(&bvh, &ray, 0, false, NULL).triangle, 0);
            struct rt_ray empty = ray;
            empty.t_max = -1;
            assert_int_equal(bvh_trace(&bvh, &empty, 0, false, NULL).triangle, RT_NOTHING);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_stack_visits_the_same_leaves),
        cmocka_unit_test(closest_hits_of_every_pair_of_formats),
        cmocka_unit_test(smallest_trees),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
