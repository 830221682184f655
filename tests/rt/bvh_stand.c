/* bvh_stand.c - makes meshes, and walks a tree from its root to check that boxes hold what is
 * below and that every triangle can be found. */
#include "bvh_stand.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ogive/random.h"
#include "ogive/rt_primitive.h"

#define POINTS 4 /* inside a triangle, looked for in the tree */

const char *const stand_names[STAND_KINDS] = {
    "soup",       "needles", "grid", "same", "points", "lines",
    "concentric", "powers",  "huge", "tiny", "far",
};

/* ---- Meshes ---- */

static float random_real(u64 *seed, float low, float high)
{
    return low + (high - low) * (float)(random_next(seed) >> 40) * 0x1p-24f;
}

static void corner_place(enum stand_kind kind, u32 triangle, u32 corner, u64 *seed, float *at)
{
    u64 middle = 1 + (u64)triangle * 3;
    float size = ldexpf(1, (int)(triangle % 60));
    for (u32 i = 0; i < 3; i++) {
        float place = random_real(&middle, -100, 100), shift = random_real(seed, -1, 1);
        switch (kind) {
        case STAND_NEEDLES:
            at[i] = corner == 0 ? place : corner == 1 ? place + shift * 0.1f : -place + shift * 50;
            break;
        case STAND_SAME:
            at[i] = (float)(corner == i) * 3;
            break;
        case STAND_POINTS:
            at[i] = (float)((triangle / 5 >> 3 * i) % 8);
            break;
        case STAND_LINES:
            at[i] = i == 1 ? place + shift : 0;
            break;
        case STAND_CONCENTRIC:
            at[i] = (i == corner ? 1.0f : corner == 2 ? -1.0f : 0.0f) * (float)(triangle + 1);
            break;
        case STAND_POWERS:
            at[i] = size * (1 + (float)(corner == i) * 0.5f);
            break;
        case STAND_HUGE:
            at[i] = place * 3e36f + shift * 1e36f;
            break;
        case STAND_TINY:
            at[i] = (place + shift) * 1e-38f;
            break;
        case STAND_FAR:
            at[i] = 1e6f + place + shift;
            break;
        default:
            at[i] = place + shift * 3;
        }
    }
}

static struct mesh grid_make(u32 count)
{
    u32 side = 1;
    while (2 * side * side < count)
        side++;
    struct mesh mesh = { .vertex_count = (side + 1) * (side + 1), .triangle_count = count };
    mesh.vertices = calloc(mesh.vertex_count + 2, sizeof *mesh.vertices);
    mesh.triangles = calloc(count + 1, sizeof *mesh.triangles);
    for (u32 i = 0; i < mesh.vertex_count; i++) {
        mesh.vertices[i][0] = (float)(i % (side + 1));
        mesh.vertices[i][2] = (float)(i / (side + 1));
    }
    for (u32 i = 0; i < count; i++) {
        u32 corner = i / 2 % side + i / 2 / side * (side + 1);
        u32 *t = mesh.triangles[i];
        t[0] = corner + (i & 1);
        t[1] = corner + 1 + (i & 1) * side;
        t[2] = corner + side + 1 + (i & 1);
    }
    return mesh;
}

struct mesh stand_mesh(enum stand_kind kind, u32 count, u64 seed)
{
    if (kind == STAND_GRID)
        return grid_make(count);
    struct mesh mesh = { .vertex_count = 3 * count, .triangle_count = count };
    mesh.vertices = calloc(mesh.vertex_count + 2, sizeof *mesh.vertices);
    mesh.triangles = calloc(count + 1, sizeof *mesh.triangles);
    assert_true(mesh.vertices && mesh.triangles);
    for (u32 i = 0; i < mesh.vertex_count; i++) {
        corner_place(kind, i / 3, i % 3, &seed, mesh.vertices[i]);
        mesh.triangles[i / 3][i % 3] = i;
    }
    return mesh;
}

/* ---- Blocks ---- */

static u32 strip_triangles(const struct primitive_format *format, const void *at, u32 *triangles)
{
    const struct rt_tristrip128 *strip = at;
    assert_string_equal(format->name, "tristrip128"); /* else the stand lacks a format */
    for (u32 i = 0; i < strip->count; i++)
        triangles[i] = strip->first + (rt_strip_record(strip, i) >> 12);
    return strip->count;
}

u32 stand_block(const struct bvh *bvh, u64 block, u32 *triangles)
{
    const struct primitive_format *format = bvh->primitives_format;
    const void *at = bvh_block(bvh, (u32)block);
    if (format->numbers)
        triangles[0] = bvh->numbers[block];
    else if (!strcmp(format->name, "tri64"))
        triangles[0] = ((const struct rt_tri64 *)at)->triangle;
    else if (!strcmp(format->name, "tri48"))
        triangles[0] = ((const struct rt_tri48 *)at)->triangle;
    else
        return strip_triangles(format, at, triangles);
    return 1;
}

/* ---- Checks ---- */

struct check {
    const struct mesh *mesh;
    const struct bvh *bvh;
    u8 *node_seen, *block_seen;
    u64 leaves, references, depth, children;
    bool spatial;
};

static void node_get(const struct bvh *bvh, u32 number, struct wide_node *node)
{
    assert_true(number < bvh->node_count);
    bvh_node_decode(bvh, number, node);
    assert_true(node->count <= bvh->nodes_format->width);
}

static void box_add(struct box *box, const float *point)
{
    for (u32 i = 0; i < 3; i++) {
        box->low[i] = fminf(box->low[i], point[i]);
        box->high[i] = fmaxf(box->high[i], point[i]);
    }
}

static bool box_holds(const struct box *box, const float *point, float slack)
{
    for (u32 i = 0; i < 3; i++)
        if (!(box->low[i] - slack * fabsf(point[i]) <= point[i] &&
              point[i] <= box->high[i] + slack * fabsf(point[i])))
            return false;
    return true;
}

static void check_leaf(struct check *check, u32 ref, struct box *below)
{
    u32 triangles[RT_STRIP_TRIANGLES];
    u64 first = rt_ref_first(ref), count = rt_ref_count(ref);
    assert_true(first + count <= check->bvh->block_count);
    assert_true(count <= check->bvh->nodes_format->leaf_blocks);
    check->leaves++;
    for (u64 block = first; block < first + count; block++) {
        assert_false(check->block_seen[block]);
        check->block_seen[block] = 1;
        u32 held = stand_block(check->bvh, block, triangles);
        assert_true(held > 0);
        for (u32 i = 0; i < held; i++) {
            assert_true(triangles[i] < check->mesh->triangle_count);
            for (u32 corner = 0; corner < 3; corner++)
                box_add(below, check->mesh->vertices[check->mesh->triangles[triangles[i]][corner]]);
        }
        check->references += held;
    }
}

/* `below` grows by the triangles below the node. */
static void check_node(struct check *check, u32 number, u32 level, struct box *below)
{
    struct wide_node node;
    u32 next_node = 0, next_block = 0;
    assert_true(level < RT_LEVELS);
    assert_false(check->node_seen[number]);
    check->node_seen[number] = 1;
    check->depth = max_u64(check->depth, level + 1);
    node_get(check->bvh, number, &node);
    check->children += node.count;
    for (u32 i = 0; i < node.count; i++) {
        struct box own = { { INFINITY, INFINITY, INFINITY }, { -INFINITY, -INFINITY, -INFINITY } };
        u32 ref = node.children[i].ref;
        if (rt_ref_is_leaf(ref)) {
            assert_true(!next_block || rt_ref_first(ref) == next_block);
            next_block = rt_ref_first(ref) + rt_ref_count(ref);
            check_leaf(check, ref, &own);
        } else {
            assert_true(!next_node || ref == next_node);
            next_node = ref + 1;
            assert_true(ref > number);
            check_node(check, ref, level + 1, &own);
        }
        if (!check->spatial) {
            assert_true(box_holds(&node.children[i].box, own.low, 0));
            assert_true(box_holds(&node.children[i].box, own.high, 0));
        }
        box_add(below, own.low);
        box_add(below, own.high);
    }
}

static bool leaf_has(const struct bvh *bvh, u32 ref, u32 triangle)
{
    u32 triangles[RT_STRIP_TRIANGLES];
    for (u32 block = 0; block < rt_ref_count(ref); block++) {
        u32 held = stand_block(bvh, rt_ref_first(ref) + block, triangles);
        for (u32 i = 0; i < held; i++)
            if (triangles[i] == triangle)
                return true;
    }
    return false;
}

static bool point_found(const struct bvh *bvh, u32 number, const float *point, float slack,
                        u32 triangle)
{
    struct wide_node node;
    node_get(bvh, number, &node);
    for (u32 i = 0; i < node.count; i++) {
        u32 ref = node.children[i].ref;
        if (!box_holds(&node.children[i].box, point, slack))
            continue;
        if (rt_ref_is_leaf(ref) ? leaf_has(bvh, ref, triangle)
                                : point_found(bvh, ref, point, slack, triangle))
            return true;
    }
    return false;
}

static void check_triangle(const struct check *check, u32 triangle, u64 *seed)
{
    const float *corners[3];
    for (u32 i = 0; i < 3; i++) {
        corners[i] = check->mesh->vertices[check->mesh->triangles[triangle][i]];
        assert_true(point_found(check->bvh, 0, corners[i], 0, triangle));
    }
    for (u32 i = 0; i < POINTS; i++) {
        float u = random_real(seed, 0, 1), v = random_real(seed, 0, 1 - u), point[3];
        for (u32 k = 0; k < 3; k++)
            point[k] = u * corners[0][k] + v * corners[1][k] + (1 - u - v) * corners[2][k];
        assert_true(point_found(check->bvh, 0, point, 1e-6f, triangle));
    }
}

static void check_statistics(const struct check *check)
{
    const struct bvh_statistics *s = &check->bvh->statistics;
    assert_int_equal(s->nodes, check->bvh->node_count);
    assert_int_equal(s->blocks, check->bvh->block_count);
    assert_int_equal(s->leaves, check->leaves);
    assert_int_equal(s->references, check->references);
    assert_int_equal(s->depth, check->depth);
    assert_true(fabs(s->children - (double)check->children / (double)s->nodes) < 1e-9);
    assert_true(isfinite(s->sah_cost) && s->sah_cost > 0);
}

void stand_check(const struct mesh *mesh, const struct bvh *bvh, bool spatial)
{
    struct check check = { .mesh = mesh, .bvh = bvh, .spatial = spatial };
    struct box all = { { INFINITY, INFINITY, INFINITY }, { -INFINITY, -INFINITY, -INFINITY } };
    u64 seed = 7;
    check.node_seen = calloc(bvh->node_count + 1, 1);
    check.block_seen = calloc(bvh->block_count + 1, 1);
    check_node(&check, 0, 0, &all);
    for (u64 i = 0; i < bvh->node_count; i++)
        assert_true(check.node_seen[i]);
    for (u64 i = 0; i < bvh->block_count; i++)
        assert_true(check.block_seen[i]);
    check_statistics(&check);
    for (u32 i = 0; i < mesh->triangle_count; i++)
        check_triangle(&check, i, &seed);
    free(check.node_seen);
    free(check.block_seen);
}
