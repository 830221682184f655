/* hlbvh.c - a cluster is what lies in a cell of the grid, and its subtree follows Morton codes,
 * which are worked out here bit by bit. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "bvh_stand.h"
#include "rt/hlbvh.h"

#define TRIANGLES  3000
#define AXIS_BITS  10
#define CELL_SHIFT 18 /* of a code: 12 bits are left */

struct stand {
    struct mesh mesh;
    struct binary_rules rules;
    u32 *codes; /* [triangle] */
    u32 *seen;  /* [triangle] how often in a subtree */
    struct hlbvh hlbvh;
};

static struct box triangle_box(const struct mesh *mesh, u32 triangle)
{
    struct box box = { { INFINITY, INFINITY, INFINITY }, { -INFINITY, -INFINITY, -INFINITY } };
    for (u32 corner = 0; corner < 3; corner++) {
        const float *at = mesh->vertices[mesh->triangles[triangle][corner]];
        for (u32 k = 0; k < 3; k++) {
            box.low[k] = fminf(box.low[k], at[k]);
            box.high[k] = fmaxf(box.high[k], at[k]);
        }
    }
    return box;
}

static void stand_codes(struct stand *stand)
{
    u32 count = stand->mesh.triangle_count;
    for (u32 k = 0; k < 3; k++) {
        double low = INFINITY, high = -INFINITY;
        double *centres = calloc(count, sizeof *centres);
        assert_non_null(centres);
        for (u32 i = 0; i < count; i++) {
            struct box box = triangle_box(&stand->mesh, i);
            centres[i] = (double)(0.5f * box.low[k] + 0.5f * box.high[k]);
            low = fmin(low, centres[i]);
            high = fmax(high, centres[i]);
        }
        for (u32 i = 0; i < count; i++) {
            double at = high > low ? floor((centres[i] - low) / (high - low) * 1024) : 0;
            u32 cell = at > 1023 ? 1023 : (u32)at;
            for (u32 bit = 0; bit < AXIS_BITS; bit++)
                stand->codes[i] |= (cell >> bit & 1) << (3 * bit + 2 - k);
        }
        free(centres);
    }
}

static void stand_init(struct stand *stand, enum stand_kind kind, u32 threads)
{
    *stand = (struct stand){ .mesh = stand_mesh(kind, TRIANGLES, 7) };
    struct bvh_options options = bvh_options_default();
    struct box bounds = triangle_box(&stand->mesh, 0);
    u32 count = stand->mesh.triangle_count;
    for (u32 i = 1; i < count; i++) {
        struct box box = triangle_box(&stand->mesh, i);
        bounds = box_union(&bounds, &box);
    }
    stand->rules = binary_rules_make(&stand->mesh, &options, bounds);
    stand->codes = calloc(count, sizeof *stand->codes);
    stand->seen = calloc(count, sizeof *stand->seen);
    assert_true(stand->codes && stand->seen);
    stand_codes(stand);
    stand->hlbvh = hlbvh_build(&stand->rules, sizeof(struct binary_node), threads);
}

static void stand_fini(struct stand *stand)
{
    free(stand->hlbvh.nodes);
    hlbvh_free(&stand->hlbvh);
    free(stand->codes);
    free(stand->seen);
    mesh_free(&stand->mesh);
}

/* The codes in a subtree, whose box is returned: all their bits, and those that all have. */
static struct box subtree_check(struct stand *stand, binary_ref ref, u32 *any, u32 *all)
{
    u32 any_of[2], all_of[2];
    if (binary_is_triangle(ref)) {
        u32 triangle = binary_triangle(ref);
        stand->seen[triangle]++;
        *any = *all = stand->codes[triangle];
        return triangle_box(&stand->mesh, triangle);
    }
    const struct binary_node *node = binary_node_at(ref);
    for (u32 i = 0; i < 2; i++) {
        struct box box = subtree_check(stand, node->children[i], &any_of[i], &all_of[i]);
        assert_memory_equal(&box, &node->boxes[i], sizeof box);
    }
    *any = any_of[0] | any_of[1];
    *all = all_of[0] & all_of[1];
    u32 differ = *any & ~*all;
    if (differ) {
        u32 bit = UINT32_C(1) << (31 - __builtin_clz(differ));
        assert_false(any_of[0] & bit);
        assert_true(all_of[1] & bit);
    }
    return box_union(&node->boxes[0], &node->boxes[1]);
}

static u32 cells_count(const struct stand *stand)
{
    u32 count = 0;
    bool *taken = calloc(1 << 12, sizeof *taken);
    assert_non_null(taken);
    for (u32 i = 0; i < stand->mesh.triangle_count; i++) {
        count += !taken[stand->codes[i] >> CELL_SHIFT];
        taken[stand->codes[i] >> CELL_SHIFT] = true;
    }
    free(taken);
    return count;
}

static void clusters_are_cells_and_follow_codes(void **state)
{
    static const enum stand_kind kinds[] = { STAND_SOUP,  STAND_GRID, STAND_SAME,
                                             STAND_LINES, STAND_HUGE, STAND_FAR };
    (void)state;
    for (u32 k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
        struct stand stand;
        stand_init(&stand, kinds[k], 1 + k % 3);
        assert_int_equal(stand.hlbvh.count, cells_count(&stand));
        for (u32 i = 0; i < stand.hlbvh.count; i++) {
            u32 any, all;
            struct box box = subtree_check(&stand, stand.hlbvh.roots[i], &any, &all);
            assert_memory_equal(&box, &stand.hlbvh.boxes[i], sizeof box);
            assert_int_equal(any >> CELL_SHIFT, all >> CELL_SHIFT);
        }
        for (u32 i = 0; i < stand.mesh.triangle_count; i++)
            assert_int_equal(stand.seen[i], 1);
        stand_fini(&stand);
    }
}

static void equal_codes_make_a_balanced_tree(void **state)
{
    struct stand stand;
    (void)state;
    stand_init(&stand, STAND_SAME, 1);
    assert_int_equal(stand.hlbvh.count, 1);
    const struct binary_node *root = binary_node_at(stand.hlbvh.roots[0]);
    assert_int_equal(root->references, stand.mesh.triangle_count);
    assert_int_equal(root->height, 12); /* 2048 < 3000 <= 4096 */
    stand_fini(&stand);
}

/* Above the clusters it is built as well as it can be, within them it is not. */
static void quality_lies_between(void **state)
{
    static const enum bvh_builder builders[] = { BVH_sah, BVH_hlbvh, BVH_morton };
    struct mesh mesh = stand_mesh(STAND_NEEDLES, 20000, 3);
    double costs[3];
    (void)state;
    for (u32 i = 0; i < 3; i++) {
        struct bvh_options options = bvh_options_default();
        struct ogv_error error = { 0 };
        struct bvh bvh;
        options.builder = builders[i];
        assert_true(bvh_build(&mesh, &options, &bvh, &error));
        costs[i] = bvh.statistics.sah_cost;
        bvh_free(&bvh);
    }
    assert_true(costs[0] < costs[1]);
    assert_true(costs[1] < costs[2]);
    mesh_free(&mesh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clusters_are_cells_and_follow_codes),
        cmocka_unit_test(equal_codes_make_a_balanced_tree),
        cmocka_unit_test(quality_lies_between),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
