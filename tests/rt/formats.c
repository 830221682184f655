/* formats.c - what is encoded is found again: boxes enclose, rays enter, triangles are the same. */
#include "rt/format.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "ogive/rt_formats.h"
#include "ogive/rt_node.h"
#include "ogive/rt_primitive.h"
#include "random_values.h"
#include "scalar.h"

#define NODE_MAX 256

/* ---- Nodes ---- */

/* Children that are nodes and leaves mixed, numbered as formats want them. */
static struct wide_node node_any(u64 *state, const struct node_format *format, int low, int high)
{
    struct wide_node node = { .count = (u32)random_below(state, format->width + 1) };
    u32 next_node = 1 + (u32)random_below(state, 1000000);
    u32 next_block = (u32)random_below(state, 1000000);
    for (u32 i = 0; i < node.count; i++) {
        node.children[i].box = box_any(state, low, high);
        node.children[i].ref = next_node;
        if (random_next(state) & 1) {
            u32 blocks = 1 + (u32)random_below(state, format->leaf_blocks);
            node.children[i].ref = rt_ref_leaf(next_block, blocks);
            next_block += blocks;
        } else {
            next_node++;
        }
    }
    return node;
}

static const struct wide_child *child_find(const struct wide_node *node, u32 ref)
{
    for (u32 i = 0; i < node->count; i++)
        if (node->children[i].ref == ref)
            return &node->children[i];
    return NULL;
}

static void node_check(const struct node_format *format, const struct wide_node *node)
{
    _Alignas(128) u8 bytes[NODE_MAX];
    struct wide_node decoded;
    assert_true(format->bytes <= sizeof bytes);
    format->encode(node, bytes);
    format->decode(bytes, NULL, &decoded);
    assert_int_equal(decoded.count, node->count);
    for (u32 i = 0; i < node->count; i++) {
        const struct wide_child *was = &node->children[i];
        const struct wide_child *is = child_find(&decoded, was->ref);
        assert_non_null(is);
        for (int axis = 0; axis < 3; axis++) {
            assert_true(is->box.low[axis] <= was->box.low[axis]);
            assert_true(is->box.high[axis] >= was->box.high[axis]);
        }
    }
}

static void decoded_boxes_enclose(void **unused)
{
    (void)unused;
    static const int ranges[][2] = { { -3, 3 },    { -149, -120 }, { -149, 127 },
                                     { 120, 127 }, { -20, 20 },    { 127, 127 } };
    u64 state = 5;
    for (u32 f = 0; node_formats[f]; f++)
        for (u32 range = 0; range < sizeof ranges / sizeof ranges[0]; range++)
            for (int i = 0; i < 4000; i++) {
                struct wide_node node =
                    node_any(&state, node_formats[f], ranges[range][0], ranges[range][1]);
                node_check(node_formats[f], &node);
            }
}

/* Grids are no coarser than they have to be: two steps of slack per side at most. */
static void decoded_boxes_are_tight(void **unused)
{
    (void)unused;
    u64 state = 6;
    _Alignas(128) u8 bytes[NODE_MAX];
    for (u32 f = 0; node_formats[f]; f++)
        for (int i = 0; i < 2000; i++) {
            struct wide_node node = node_any(&state, node_formats[f], -3, 3), decoded;
            node_formats[f]->encode(&node, bytes);
            node_formats[f]->decode(bytes, NULL, &decoded);
            for (int axis = 0; axis < 3; axis++) {
                float low = INFINITY, high = -INFINITY;
                for (u32 k = 0; k < node.count; k++) {
                    low = fminf(low, node.children[k].box.low[axis]);
                    high = fmaxf(high, node.children[k].box.high[axis]);
                }
                float step = (high - low) / 127 * 1.001f;
                for (u32 k = 0; k < node.count; k++) {
                    const struct box *was = &node.children[k].box;
                    const struct box *is = &child_find(&decoded, node.children[k].ref)->box;
                    assert_true(is->low[axis] >= was->low[axis] - step);
                    assert_true(is->high[axis] <= was->high[axis] + step);
                }
            }
        }
}

/* A ray to a corner, a side or the middle of a child; now and then along an axis. */
static struct rt_ray ray_at(u64 *state, const struct wide_node *node)
{
    struct rt_ray ray = { .t_max = INFINITY };
    const struct box *box = &node->children[node->count ? random_below(state, node->count) : 0].box;
    for (int axis = 0; axis < 3; axis++) {
        float part = (float)random_below(state, 3) / 2;
        float target = box->low[axis] + (box->high[axis] - box->low[axis]) * part;
        ray.origin[axis] = random_below(state, 3) ? value_scaled(state, -3, 5) : target;
        ray.direction[axis] = target - ray.origin[axis];
    }
    return ray;
}

static bool child_entered(const struct rt_ray *ray, const struct box *box)
{
    long double near = ray->t_min, far = INFINITY;
    for (int axis = 0; axis < 3; axis++) {
        long double low = (long double)box->low[axis] - ray->origin[axis];
        long double high = (long double)box->high[axis] - ray->origin[axis];
        long double direction = ray->direction[axis];
        if (direction == 0 && (low > 0 || high < 0))
            return false;
        if (direction == 0)
            continue;
        near = fmaxl(near, fminl(low / direction, high / direction));
        far = fminl(far, fmaxl(low / direction, high / direction));
    }
    return near <= far;
}

/* The test as it is on hosts whose vectors are no longer than four floats. */
#define LANES_CASE(format, unused)  \
    if (strcmp(name, #format) == 0) \
        return rt_##format##_test(node, ray, best, children);

static u32 lanes_test(const char *name, const void *node, const struct rt_slab *ray, float best,
                      struct rt_child *children)
{
    RT_NODE_FORMATS(LANES_CASE, )
    return UINT32_MAX;
}

static void ray_check(const struct node_format *format, const struct wide_node *node,
                      const void *bytes, const struct rt_ray *ray)
{
    struct rt_child found[RT_CHILDREN_MAX], scalar[RT_CHILDREN_MAX], lanes[RT_CHILDREN_MAX];
    struct rt_slab slab = rt_slab_make(ray);
    u32 count = format->test(bytes, &slab, INFINITY, NULL, found), expected = 0, hits = 0;
    for (u32 i = 0; i < count; i++)
        assert_non_null(child_find(node, found[i].ref));
    for (u32 i = 0; i < node->count; i++)
        if (child_entered(ray, &node->children[i].box)) {
            expected++;
            for (u32 k = 0; k < count; k++)
                hits += found[k].ref == node->children[i].ref;
        }
    assert_int_equal(hits, expected);
    assert_int_equal(scalar_test(format->name, bytes, &slab, INFINITY, scalar), count);
    assert_memory_equal(found, scalar, count * sizeof found[0]);
    assert_int_equal(lanes_test(format->name, bytes, &slab, INFINITY, lanes), count);
    assert_memory_equal(found, lanes, count * sizeof found[0]);
}

static void rays_enter_the_children_they_enter(void **unused)
{
    (void)unused;
    _Alignas(128) u8 bytes[NODE_MAX];
    u64 state = 7;
    for (u32 f = 0; node_formats[f]; f++)
        for (int i = 0; i < 30000; i++) {
            struct wide_node node = node_any(&state, node_formats[f], -3, 3);
            struct rt_ray ray = ray_at(&state, &node);
            node_formats[f]->encode(&node, bytes);
            ray_check(node_formats[f], &node, bytes, &ray);
        }
}

static void best_hit_culls(void **unused)
{
    (void)unused;
    _Alignas(128) u8 bytes[NODE_MAX];
    struct rt_child found[RT_CHILDREN_MAX];
    struct wide_node node = { .count = 1 };
    struct rt_ray ray = { { -1, 0.25f, 0.25f }, 0, { 1, 0.125f, 0.125f }, INFINITY };
    struct rt_slab slab = rt_slab_make(&ray);
    node.children[0] = (struct wide_child){ { { 1, 0, 0 }, { 2, 1, 1 } }, rt_ref_leaf(3, 2) };
    for (u32 f = 0; node_formats[f]; f++) {
        node_formats[f]->encode(&node, bytes);
        assert_int_equal(node_formats[f]->test(bytes, &slab, 2.1f, NULL, found), 1);
        assert_true(found[0].t > 1.99f && found[0].t <= 2 && found[0].ref == rt_ref_leaf(3, 2));
        assert_int_equal(node_formats[f]->test(bytes, &slab, 1.9f, NULL, found), 0);
    }
}

/* ---- Primitives ---- */

/* A strip of triangles, or a heap of them that share nothing. */
#define MESH_TRIANGLES 64
static float vertices[3 * MESH_TRIANGLES][3];
static u32 corners[MESH_TRIANGLES][3];

static struct mesh mesh_make(u64 *state, bool shared)
{
    struct mesh mesh = { .vertices = vertices,
                         .triangles = corners,
                         .vertex_count = 3 * MESH_TRIANGLES,
                         .triangle_count = MESH_TRIANGLES };
    for (u32 i = 0; i < mesh.vertex_count; i++)
        for (int axis = 0; axis < 3; axis++)
            vertices[i][axis] = value_between(state, -1, 1);
    for (u32 i = 0; i < MESH_TRIANGLES; i++)
        for (u32 corner = 0; corner < 3; corner++)
            corners[i][corner] = shared ? i + corner : 3 * i + corner;
    return mesh;
}

static void blocks_check(const struct primitive_format *format, const struct mesh *mesh, u64 *state)
{
    _Alignas(128) u8 block[128];
    u32 list[MESH_TRIANGLES];
    for (u32 i = 0; i < MESH_TRIANGLES; i++)
        list[i] = MESH_TRIANGLES - 1 - i;
    for (u32 done = 0, step; done < MESH_TRIANGLES; done += step) {
        step = format->encode(mesh, list + done, MESH_TRIANGLES - done, block);
        assert_in_range(step, 1, format->triangles);
        for (int k = 0; k < 20; k++) {
            struct rt_ray ray = { .t_max = INFINITY };
            for (int axis = 0; axis < 3; axis++) {
                ray.origin[axis] = value_between(state, -3, 3);
                ray.direction[axis] = -ray.origin[axis];
            }
            struct rt_hit hit = rt_hit_none(&ray), expected = hit;
            struct rt_shear shear = rt_shear_make(&ray);
            for (u32 i = done; i < done + step; i++) {
                const u32 *at = corners[list[i]];
                rt_triangle_watertight(&shear, vertices[at[0]], vertices[at[1]], vertices[at[2]],
                                       list[i], &expected);
            }
            assert_int_equal(format->test(block, list[done], &ray, &hit), step);
            assert_memory_equal(&hit, &expected, sizeof hit);
        }
    }
}

static void blocks_hold_their_triangles(void **unused)
{
    (void)unused;
    u64 state = 8;
    for (u32 f = 0; primitive_formats[f]; f++)
        for (int i = 0; i < 40; i++) {
            struct mesh mesh = mesh_make(&state, i % 2);
            blocks_check(primitive_formats[f], &mesh, &state);
        }
}

static void strips_take_what_fits(void **unused)
{
    (void)unused;
    u64 state = 9;
    _Alignas(128) u8 block[128];
    const struct primitive_format *format = primitive_format_find("tristrip128", NULL);
    u32 list[] = { 0, 1, 2, 3, 4, 5, 6, 7, 8 };
    struct mesh mesh = mesh_make(&state, true);
    assert_int_equal(format->encode(&mesh, list, 9, block), 6);
    assert_int_equal(format->encode(&mesh, list, 2, block), 2);
    mesh = mesh_make(&state, false);
    assert_int_equal(format->encode(&mesh, list, 9, block), 3);
    for (u32 i = 0; i < 8; i++) /* a fan that closes */
        for (u32 corner = 0; corner < 3; corner++)
            corners[i][corner] = corner == 0 ? 0 : 1 + (i + corner) % 5;
    assert_int_equal(format->encode(&mesh, list, 9, block), 8);
    assert_int_equal(format->encode(&mesh, list, 0, block), 0);
}

static void damaged_strips_stay_within(void **unused)
{
    (void)unused;
    _Alignas(128) u8 block[128];
    struct rt_ray ray = { { 0, 0, 0 }, 0, { 1, 1, 1 }, INFINITY };
    struct rt_hit hit = rt_hit_none(&ray);
    memset(block, 0xff, sizeof block);
    assert_int_equal(primitive_format_find("tristrip128", NULL)->test(block, 0, &ray, &hit), 8);
    assert_int_equal(hit.triangle, RT_NOTHING);
}

/* ---- Names ---- */

#define CHECK_NAME(format, table, VALUE) assert_string_equal(table[VALUE##format]->name, #format);
#define CHECK_NODES(format, unused)      CHECK_NAME(format, node_formats, RT_NODES_)
#define CHECK_PRIMITIVES(format, unused) CHECK_NAME(format, primitive_formats, RT_PRIMITIVES_)

/* A format is named as its row in the list is, and stands where its number says. */
static void names_are_those_of_the_list(void **unused)
{
    (void)unused;
    RT_NODE_FORMATS(CHECK_NODES, )
    RT_PRIMITIVE_FORMATS(CHECK_PRIMITIVES, )
}

static void unknown_names(void **unused)
{
    (void)unused;
    struct ogv_error error;
    for (u32 f = 0; node_formats[f]; f++)
        assert_ptr_equal(node_format_find(node_formats[f]->name, &error), node_formats[f]);
    for (u32 f = 0; primitive_formats[f]; f++)
        assert_ptr_equal(primitive_format_find(primitive_formats[f]->name, &error),
                         primitive_formats[f]);
    assert_null(node_format_find("bvh6d", &error));
    assert_non_null(strstr(error.message, "there is no node format 'bvh6d'; did you mean"));
    assert_non_null(strstr(error.message, "bvh2, bvh4, bvh6, bvh8, bvh6c, cwbvh8"));
    assert_null(primitive_format_find("", &error));
    assert_non_null(strstr(error.message, "tri64, tri48, tri36, tristrip128"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(decoded_boxes_enclose),
        cmocka_unit_test(decoded_boxes_are_tight),
        cmocka_unit_test(rays_enter_the_children_they_enter),
        cmocka_unit_test(best_hit_culls),
        cmocka_unit_test(blocks_hold_their_triangles),
        cmocka_unit_test(strips_take_what_fits),
        cmocka_unit_test(damaged_strips_stay_within),
        cmocka_unit_test(names_are_those_of_the_list),
        cmocka_unit_test(unknown_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
