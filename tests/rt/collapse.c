/* collapse.c - wide trees cost as little as the best of all of them, tried one by one on small
 * binary trees; and no tree stays too high. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ogive/random.h"
#include "rt/binary.h"

#define LEAVES_MAX 9
#define TREES      60

struct small {
    struct mesh mesh;
    struct binary_rules rules;
    struct binary_node nodes[LEAVES_MAX];
    u32 node_count;
    u64 seed;
};

/* Triangle i is the corner of a unit cube at (i, i, i): what boxes are is up to the tree. */
static struct mesh mesh_make(u32 count)
{
    struct mesh mesh = { .vertex_count = 3 * count, .triangle_count = count };
    mesh.vertices = calloc(3 * count + 2, sizeof *mesh.vertices);
    mesh.triangles = calloc(count, sizeof *mesh.triangles);
    assert_true(mesh.vertices && mesh.triangles);
    for (u32 i = 0; i < 3 * count; i++) {
        mesh.triangles[i / 3][i % 3] = i;
        for (u32 k = 0; k < 3; k++)
            mesh.vertices[i][k] = (float)(i / 3) + (float)(k == i % 3);
    }
    return mesh;
}

static struct box box_random(u64 *seed)
{
    struct box box;
    for (u32 i = 0; i < 3; i++) {
        box.low[i] = (float)random_below(seed, 1000) * 0.01f;
        box.high[i] = box.low[i] + (float)random_below(seed, 300) * 0.01f;
    }
    return box;
}

static binary_ref small_build(struct small *small, u32 first, u32 end, struct box *box)
{
    if (end - first == 1) {
        *box = box_random(&small->seed);
        return binary_ref_triangle(first);
    }
    struct binary_node *node = &small->nodes[small->node_count++];
    u32 middle = first + 1 + (u32)random_below(&small->seed, end - first - 1);
    node->children[0] = small_build(small, first, middle, &node->boxes[0]);
    node->children[1] = small_build(small, middle, end, &node->boxes[1]);
    binary_settle(&small->rules, node);
    *box = box_union(&node->boxes[0], &node->boxes[1]);
    return (binary_ref)node;
}

/* ---- All wide trees ---- */

struct member {
    struct box box;
    binary_ref ref;
};

static double tree_best(const struct binary_rules *rules, struct member member);

static double leaf_price(const struct binary_rules *rules, struct member member)
{
    u32 triangles[BINARY_LEAF_MAX];
    _Alignas(16) u8 block[256];
    u32 count = binary_leaf_triangles(member.ref, triangles), blocks = 0, done = 0;
    while (done < count) {
        done += rules->primitives->encode(rules->mesh, triangles + done, count - done, block);
        blocks++;
    }
    if (count > rules->leaf_triangles || blocks > rules->leaf_blocks)
        return INFINITY;
    return binary_area(rules, &member.box) * (0.5 * count + 0.5 * blocks);
}

/* The least sum over all sets of children: members before `from` stay as they are. */
static double cut_best(const struct binary_rules *rules, struct member *members, u32 count,
                       u32 from)
{
    if (count > rules->width)
        return INFINITY;
    if (from == count) {
        double sum = 0;
        for (u32 i = 0; i < count; i++)
            sum += tree_best(rules, members[i]);
        return sum;
    }
    struct member copy[RT_CHILDREN_MAX + 1];
    memcpy(copy, members, count * sizeof *copy);
    double best = cut_best(rules, copy, count, from + 1);
    if (binary_is_triangle(members[from].ref))
        return best;
    const struct binary_node *node = binary_node_at(members[from].ref);
    memcpy(copy, members, count * sizeof *copy);
    copy[from] = (struct member){ node->boxes[0], node->children[0] };
    copy[count] = (struct member){ node->boxes[1], node->children[1] };
    return fmin(best, cut_best(rules, copy, count + 1, from));
}

static double node_best(const struct binary_rules *rules, struct member member)
{
    const struct binary_node *node = binary_node_at(member.ref);
    struct member members[RT_CHILDREN_MAX + 1] = { { node->boxes[0], node->children[0] },
                                                   { node->boxes[1], node->children[1] } };
    return binary_area(rules, &member.box) + cut_best(rules, members, 2, 0);
}

static double tree_best(const struct binary_rules *rules, struct member member)
{
    double leaf = leaf_price(rules, member);
    return binary_is_triangle(member.ref) ? leaf : fmin(leaf, node_best(rules, member));
}

/* ---- The tree that was chosen ---- */

static double chosen_price(const struct binary_rules *rules, struct member member)
{
    struct binary_child children[RT_CHILDREN_MAX];
    u32 count = binary_gather(rules, binary_node_at(member.ref), children);
    double sum = binary_area(rules, &member.box);
    assert_true(count >= 1 && count <= rules->width);
    for (u32 i = 0; i < count; i++) {
        struct member child = { children[i].box, children[i].ref };
        sum += children[i].is_leaf ? leaf_price(rules, child) : chosen_price(rules, child);
    }
    return sum;
}

static void small_check(const struct node_format *nodes, const struct primitive_format *primitives,
                        u32 leaf_triangles, u64 seed)
{
    struct small small = { .seed = seed };
    struct bvh_options options = { .nodes = nodes,
                                   .primitives = primitives,
                                   .leaf_triangles = leaf_triangles };
    struct box bounds = { { 0, 0, 0 }, { 13, 13, 13 } };
    u32 leaves = 2 + (u32)random_below(&small.seed, LEAVES_MAX - 1);
    struct member root;
    small.mesh = mesh_make(leaves);
    small.rules = binary_rules_make(&small.mesh, &options, bounds);
    root.ref = small_build(&small, 0, leaves, &root.box);
    double chosen = chosen_price(&small.rules, root), best = node_best(&small.rules, root);
    assert_true(fabs(chosen - best) <= 1e-5 * best);
    double all = tree_best(&small.rules, root);
    assert_true(fabs((double)binary_node_at(root.ref)->cost[0] - all) <= 1e-5 * all);
    mesh_free(&small.mesh);
}

static void collapsing_finds_the_best_tree(void **state)
{
    (void)state;
    for (u32 n = 0; node_formats[n]; n++)
        for (u32 p = 0; primitive_formats[p]; p++)
            for (u32 limit = 0; limit < 4; limit++)
                for (u64 seed = 0; seed < TREES; seed++)
                    small_check(node_formats[n], primitive_formats[p], limit, seed);
}

/* ---- Height ---- */

static u32 tree_height(binary_ref ref)
{
    if (binary_is_triangle(ref))
        return 0;
    u32 left = tree_height(binary_node_at(ref)->children[0]);
    u32 right = tree_height(binary_node_at(ref)->children[1]);
    return 1 + (left > right ? left : right);
}

static void leaves_list(binary_ref ref, u32 *list, u32 *count)
{
    if (binary_is_triangle(ref)) {
        list[(*count)++] = binary_triangle(ref);
        return;
    }
    for (u32 side = 0; side < 2; side++)
        leaves_list(binary_node_at(ref)->children[side], list, count);
}

/* A tree of which every node has a leaf on one side. */
static void a_chain_is_cut_short(void **state)
{
    enum { COUNT = 1000 };
    struct bvh_options options = bvh_options_default();
    struct mesh mesh = mesh_make(COUNT);
    struct binary_rules rules = binary_rules_make(&mesh, &options, mesh_bounds(&mesh));
    struct binary_node *nodes = calloc(COUNT, sizeof *nodes);
    u32 list[COUNT], count = 0;
    (void)state;
    binary_ref ref = binary_ref_triangle(COUNT - 1);
    struct box box = { { COUNT - 1, COUNT - 1, COUNT - 1 }, { COUNT, COUNT, COUNT } };
    for (u32 i = COUNT - 1; i-- > 0;) {
        float at = (float)i;
        nodes[i].boxes[0] = (struct box){ { at, at, at }, { at + 1, at + 1, at + 1 } };
        nodes[i].boxes[1] = box;
        nodes[i].children[0] = binary_ref_triangle(i);
        nodes[i].children[1] = ref;
        binary_settle(&rules, &nodes[i]);
        box = box_union(&nodes[i].boxes[0], &nodes[i].boxes[1]);
        ref = (binary_ref)&nodes[i];
    }
    assert_int_equal(tree_height(ref), COUNT - 1);
    binary_limit_height(&rules, ref, RT_LEVELS);
    assert_true(tree_height(ref) <= RT_LEVELS);
    assert_int_equal(tree_height(ref), binary_node_at(ref)->height);
    assert_true(nodes[0].children[0] == binary_ref_triangle(0)); /* the top is as it was */
    leaves_list(ref, list, &count);
    assert_int_equal(count, COUNT);
    for (u32 i = 0; i < COUNT; i++)
        assert_int_equal(list[i], i);
    struct member root = { mesh_bounds(&mesh), ref };
    assert_true(isfinite(chosen_price(&rules, root)));
    free(nodes);
    mesh_free(&mesh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(collapsing_finds_the_best_tree),
        cmocka_unit_test(a_chain_is_cut_short),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
