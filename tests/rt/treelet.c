/* treelet.c - treelets hold every node once, are connected, keep their size, and are better than
 * filling them in order. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "bvh_stand.h"
#include "rt/treelet.h"

static void build(enum stand_kind kind, u32 count, const struct bvh_options *options,
                  struct bvh *bvh)
{
    struct ogv_error error = { 0 };
    struct mesh mesh = stand_mesh(kind, count, 11);
    if (!bvh_build(&mesh, options, bvh, &error))
        fail_msg("%s", error.message);
    mesh_free(&mesh);
}

static void node_get(const struct bvh *bvh, u32 number, struct wide_node *node)
{
    bvh->nodes_format->decode((const u8 *)bvh->nodes + (u64)number * bvh->nodes_format->bytes,
                              node);
}

/* Bytes of a node and its blocks. */
static u32 node_bytes(const struct bvh *bvh, const struct wide_node *node, u32 *blocks)
{
    u32 block = bvh->primitives_format->bytes + (bvh->numbers ? 4 : 0);
    *blocks = 0;
    for (u32 i = 0; i < node->count; i++)
        if (rt_ref_is_leaf(node->children[i].ref))
            *blocks += rt_ref_count(node->children[i].ref);
    return bvh->nodes_format->bytes + *blocks * block;
}

static u32 *parents_find(const struct bvh *bvh)
{
    u32 *parents = calloc(bvh->node_count, sizeof *parents);
    for (u32 i = 0; i < bvh->node_count; i++) {
        struct wide_node node;
        node_get(bvh, i, &node);
        for (u32 k = 0; k < node.count; k++)
            if (!rt_ref_is_leaf(node.children[k].ref))
                parents[node.children[k].ref] = i;
    }
    return parents;
}

static void header_check(const struct bvh *bvh, const struct treelets *treelets, u32 number,
                         const u32 *parents)
{
    const struct treelet *t = &treelets->items[number];
    u64 bytes = 0, blocks = 0, below = 1;
    assert_true(t->node_count > 0 && t->bytes <= treelets->size);
    assert_int_equal(treelets->order[t->first_node], t->root);
    for (u32 i = 0; i < t->node_count; i++) {
        u32 node = treelets->order[t->first_node + i], count;
        struct wide_node decoded;
        node_get(bvh, node, &decoded);
        bytes += node_bytes(bvh, &decoded, &count);
        blocks += count;
        assert_int_equal(treelets->of_node[node], number);
        if (node != t->root)
            assert_int_equal(treelets->of_node[parents[node]], number);
    }
    assert_int_equal(bytes, t->bytes);
    assert_int_equal(blocks, t->block_count);
    for (u32 i = 0; i < t->child_count; i++) {
        const struct treelet *child = &treelets->items[t->first_child + i];
        assert_int_equal(child->parent, number);
        assert_int_equal(child->depth, t->depth + 1);
        assert_int_equal(treelets->of_node[parents[child->root]], number);
        below += child->subtree;
    }
    assert_int_equal(t->subtree, below);
}

static void treelets_check(const struct bvh *bvh, const struct treelets *treelets)
{
    u32 *parents = parents_find(bvh);
    u8 *seen = calloc(bvh->node_count, 1);
    u32 next_node = 0, next_child = 1;
    for (u32 i = 0; i < treelets->count; i++) {
        assert_int_equal(treelets->items[i].first_node, next_node);
        assert_int_equal(treelets->items[i].first_child, next_child);
        header_check(bvh, treelets, i, parents);
        next_node += treelets->items[i].node_count;
        next_child += treelets->items[i].child_count;
    }
    assert_int_equal(next_node, bvh->node_count);
    assert_int_equal(next_child, treelets->count);
    for (u32 i = 0; i < bvh->node_count; i++) {
        assert_false(seen[treelets->order[i]]);
        seen[treelets->order[i]] = 1;
    }
    free(parents);
    free(seen);
}

static void every_format_can_be_cut(void **state)
{
    struct bvh_options options = bvh_options_default();
    (void)state;
    for (u32 n = 0; node_formats[n]; n++) {
        for (u32 p = 0; primitive_formats[p]; p++) {
            struct bvh bvh;
            options.nodes = node_formats[n];
            options.primitives = primitive_formats[p];
            options.leaf_triangles = 8;
            build(p % 2 ? STAND_GRID : STAND_NEEDLES, 3000, &options, &bvh);
            for (u64 size = TREELET_BYTES_MIN; size <= TREELET_BYTES_MAX; size *= 2) {
                struct ogv_error error = { 0 };
                struct treelets treelets;
                if (!treelets_build(&bvh, size, &treelets, &error))
                    fail_msg("%s", error.message);
                treelets_check(&bvh, &treelets);
                treelets_free(&treelets);
            }
            bvh_free(&bvh);
        }
    }
}

static void a_small_tree_is_one_treelet(void **state)
{
    (void)state;
    for (u32 count = 0; count < 20; count += 3) {
        struct bvh_options options = bvh_options_default();
        struct ogv_error error = { 0 };
        struct bvh bvh;
        struct treelets treelets;
        build(STAND_SOUP, count, &options, &bvh);
        assert_true(treelets_build(&bvh, TREELET_BYTES_MIN, &treelets, &error));
        treelets_check(&bvh, &treelets);
        assert_int_equal(treelets.count, 1);
        treelets_free(&treelets);
        bvh_free(&bvh);
    }
}

/* The areas of the roots of treelets that are filled breadth first, as SimTRaX does. */
static double cost_breadth_first(const struct bvh *bvh, u64 size)
{
    u32 *roots = calloc(bvh->node_count + 1, sizeof *roots), *queue, count = 1;
    float *areas = calloc(bvh->node_count, sizeof *areas);
    double sum = 0, whole = 0;
    queue = calloc(bvh->node_count + 1, sizeof *queue);
    for (u32 i = 0; i < 3; i++) {
        u32 k = (i + 1) % 3;
        whole += ((double)bvh->bounds.high[i] - (double)bvh->bounds.low[i]) *
                 ((double)bvh->bounds.high[k] - (double)bvh->bounds.low[k]);
    }
    areas[0] = 1;
    for (u32 root = 0; root < count; root++) {
        u32 first = 0, held = 1, blocks;
        u64 bytes = 0;
        sum += (double)areas[roots[root]];
        queue[0] = roots[root];
        for (; first < held; first++) {
            struct wide_node node;
            node_get(bvh, queue[first], &node);
            u32 own = node_bytes(bvh, &node, &blocks);
            if (bytes + own > size) {
                roots[count++] = queue[first];
                continue;
            }
            bytes += own;
            for (u32 k = 0; k < node.count; k++) {
                const struct box *box = &node.children[k].box;
                double area = 0;
                if (rt_ref_is_leaf(node.children[k].ref))
                    continue;
                for (u32 i = 0; i < 3; i++)
                    area += ((double)box->high[i] - (double)box->low[i]) *
                            ((double)box->high[(i + 1) % 3] - (double)box->low[(i + 1) % 3]);
                areas[node.children[k].ref] = (float)(area / whole);
                queue[held++] = node.children[k].ref;
            }
        }
    }
    free(roots);
    free(queue);
    free(areas);
    return sum;
}

static void cutting_by_cost_pays(void **state)
{
    struct bvh_options options = bvh_options_default();
    struct ogv_error error = { 0 };
    struct bvh bvh;
    struct treelets treelets;
    (void)state;
    build(STAND_SOUP, 20000, &options, &bvh);
    for (u64 size = TREELET_BYTES_MIN; size <= TREELET_BYTES_MAX; size *= 2) {
        assert_true(treelets_build(&bvh, size, &treelets, &error));
        assert_true(treelets.cost < cost_breadth_first(&bvh, size));
        treelets_free(&treelets);
    }
    bvh_free(&bvh);
}

static void sizes_that_cannot_be_are_refused(void **state)
{
    struct bvh_options options = bvh_options_default();
    struct ogv_error error = { 0 };
    struct treelets treelets;
    struct bvh bvh;
    (void)state;
    options.nodes = node_format_find("bvh8", NULL);
    options.primitives = primitive_format_find("tristrip128", NULL);
    build(STAND_SOUP, 2000, &options, &bvh);
    assert_false(treelets_build(&bvh, TREELET_BYTES_MIN - 1, &treelets, &error));
    assert_non_null(strstr(error.message, "8192"));
    assert_false(treelets_build(&bvh, TREELET_BYTES_MAX + 1, &treelets, &error));
    assert_non_null(strstr(error.message, "65536"));
    bvh_free(&bvh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_format_can_be_cut),
        cmocka_unit_test(a_small_tree_is_one_treelet),
        cmocka_unit_test(cutting_by_cost_pays),
        cmocka_unit_test(sizes_that_cannot_be_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
